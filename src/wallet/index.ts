// The entrance of the wallet: all that a browser wallet, the demo's actors or a test may import, for tokens and for
// swaps.

export { buildCancel, type CancelPart } from "./listing.ts";
export { buildFill, type FillPart, type Offer, type TokenNetwork } from "./fill.ts";
export { fillTemplatePsbt, type FillTemplate } from "./fill-psbt.ts";
export { buildCommit, type Inscription, inscriptionLeaf, type InternalKey } from "./inscription.ts";
export {
  addressOfSigner,
  addressOfScript,
  bip86Key,
  outputKeyOfScript,
  p2trScript,
  plainKey,
  scriptOfAddress,
  type SigningKey,
} from "./keys.ts";
export {
  anchorSignatureHash,
  buildListings,
  type ListingPart,
  listingAnnex,
  type MadeListing,
  signAnchor,
  verifyAnchorSignature,
} from "./listing.ts";
export { operationBody, type BodyFields } from "./inscription.ts";
export { buildPayment, buildReveal, type CommittedInscription, type RevealPart } from "./payment.ts";
export {
  balancePlan,
  type BuildFailure,
  coinOf,
  DUST_LIMIT,
  feeForSize,
  type Funding,
  MAX_RELAYED_VSIZE,
  MIN_FEE_PER_KVB,
  type OwnedCoin,
  type Plan,
  type PlannedInput,
  REPLACEABLE_SEQUENCE,
  type SignedTx,
  signPlan,
  type Spend,
  type SpendableLeaf,
} from "./plan.ts";
export { type SignatureHashOptions, tapLeafHash, taprootSignatureHash } from "./signature-hash.ts";
export { buildSwapClaim, type SwapClaimPart } from "./swap-spends.ts";
export { buildSwapLock, swapLock, type SwapLock, swapLockAddress, type SwapLockTerms } from "./swap-lock.ts";
export {
  askActionMessage,
  askMessage,
  bidOriginMessage,
  evmAddressOf,
  signPearlProof,
  signSwapMessage,
  type SwapAsk,
  type SwapDomain,
  type SwapMessage,
  swapMessageDigest,
  type SwapTerms,
  termsMessage,
  verifyPearlProof,
} from "./swap-messages.ts";
export { buildSwapRefund, type SwapRefundPart } from "./swap-spends.ts";
export {
  type Coin,
  type OutPoint,
  parseTx,
  serializeTx,
  transactionId,
  type Tx,
  type TxInput,
  type TxOutput,
  virtualSize,
} from "./transaction.ts";
