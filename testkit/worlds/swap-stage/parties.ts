// Lets a buyer and a seller act with real keys on both chains, by the client-side blocks alone: signed asks, locks,
// claims and refunds.

import type { Hex } from "viem";
import { devUsdcAbi, escrowAbi } from "../../../src/adapters/evm-rpc/escrow-abi.ts";
import {
  addressOfSigner,
  askMessage,
  buildPayment,
  buildSwapClaim,
  buildSwapLock,
  buildSwapRefund,
  type Coin,
  plainKey,
  type SignedTx,
  type SigningKey,
  signSwapMessage,
  type SwapAsk,
  swapLock,
  type SwapLock,
  swapMessageDigest,
} from "../../../src/wallet/index.ts";
import type { AnvilAccount } from "../../doubles/anvil/node.ts";
import type { Answer } from "./http.ts";
import { STAGE_MINER, type SwapStage } from "./swap-stage.ts";
import {
  askArgument,
  askBody,
  built,
  hexOf,
  privateKeyOf,
  type RefundTimes,
  secretFrom,
  termsArgument,
} from "../../builders/party.ts";

/** Address prefix of the stage's network. */
export const HRP = "rprl";
/** Fee rate of everything, grains per 1000 vbytes. */
const FEE_PER_KVB = 5000n;

/** A person with a key on each chain. */
export interface Party {
  readonly account: AnvilAccount;
  /** Lower case. */
  readonly evm: Hex;
  readonly key: SigningKey;
  readonly address: string;
  readonly pub: Hex;
}

/** Person number `index` (0 to 9). */
export function party(stage: SwapStage, index: number): Party {
  const account = stage.anvil.account(index);
  const key = plainKey(new Uint8Array(32).fill(0x20 + index));
  return {
    account,
    evm: account.address.toLowerCase() as Hex,
    key,
    address: addressOfSigner(key, HRP),
    pub: hexOf(key.outputKey),
  };
}

/** A secret and its hashlock, by a number. */
export function seededSecret(seed: number): { readonly secret: Hex; readonly hashlock: Hex } {
  return secretFrom(`secret ${seed}`);
}

/** What an ask offers. */
export interface AskDraft {
  readonly pearlSat?: bigint;
  readonly usdc?: bigint;
  readonly expiry?: number;
  readonly nonce?: bigint;
}

/** An ask, signed, with the body of its POST. */
export interface SignedAsk {
  readonly ask: SwapAsk;
  readonly askId: Hex;
  readonly signature: Hex;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Signs an ask of a seller. */
export async function signAsk(stage: SwapStage, seller: Party, draft: AskDraft = {}): Promise<SignedAsk> {
  const now = Math.floor(Date.now() / 1000);
  const ask: SwapAsk = {
    seller: seller.evm,
    sellerPearlAddress: seller.address,
    sellerPearlKey: seller.pub,
    pearlAmountSat: draft.pearlSat ?? 100_000_000n,
    usdcAmount: draft.usdc ?? 5_000_000n,
    expiry: draft.expiry ?? Math.max(now, stage.pearlTime, Number(await stage.anvil.time())) + 86_400,
    feeBps: stage.escrow.feeBps,
    feeRecipient: stage.escrow.feeRecipient.toLowerCase(),
    nonce: draft.nonce ?? 0n,
  };
  const message = askMessage(domainOf(stage), ask);
  const signature = signSwapMessage(message, privateKeyOf(seller.account));
  return {
    ask,
    askId: swapMessageDigest(message),
    signature,
    body: askBody(ask, signature),
  };
}

/** The EIP-712 domain of the stage's escrow. */
export function domainOf(stage: SwapStage) {
  return { chainId: 31_337, verifyingContract: stage.escrow.address.toLowerCase() };
}

/** Times of a swap: T_p a while after the present of the slowest clock, T_e the margin later. */
export async function times(stage: SwapStage, pearlInS = 6 * 3600, marginS = 21_600): Promise<RefundTimes> {
  const now = Math.max(Math.floor(Date.now() / 1000), stage.pearlTime, Number(await stage.anvil.time()));
  return { pearlRefundTime: now + pearlInS, evmRefundTime: now + pearlInS + marginS };
}

/** Gives USDC to a buyer and lets the escrow take it. */
export async function fund(stage: SwapStage, buyer: Party, amount: bigint): Promise<void> {
  const wallet = stage.anvil.walletClient(buyer.account);
  const token = { address: stage.escrow.usdc, abi: devUsdcAbi } as const;
  await mined(
    stage,
    await wallet.writeContract({ ...token, functionName: "mint", args: [buyer.evm, amount] }),
  );
  await mined(
    stage,
    await wallet.writeContract({
      ...token,
      functionName: "approve",
      args: [stage.escrow.address, 2n ** 255n],
    }),
  );
}

/** Waits for a transaction and wants it to succeed. */
export async function mined(stage: SwapStage, hash: Hex): Promise<void> {
  const receipt = await stage.anvil.publicClient.waitForTransactionReceipt({ hash });
  if (receipt.status !== "success") throw new Error(`the transaction ${hash} reverted`);
}

/** Sends `lockWithAsk` as the deal's `lock_call` says. */
export async function lockUsdc(stage: SwapStage, buyer: Party, deal: Answer): Promise<void> {
  const call = deal.body["lock_call"];
  if (typeof call !== "object" || call === null) throw new Error("the deal has no lock_call");
  const { terms, ask, seller_signature: signature } = Object(call);
  await escrowCall(stage, buyer, "lockWithAsk", [termsArgument(terms), askArgument(ask), signature]);
}

/** Calls a function of the escrow as this person. */
export async function escrowCall(
  stage: SwapStage,
  person: Party,
  functionName:
    | "cancel"
    | "claim"
    | "refund"
    | "refundCooperative"
    | "accept"
    | "lock"
    | "lockWithAsk"
    | "pause"
    | "revokeAsks"
    | "unpause"
    | "withdrawCredit",
  args: readonly unknown[],
): Promise<void> {
  const hash = await stage.anvil.walletClient(person.account).writeContract({
    address: stage.escrow.address,
    abi: escrowAbi,
    functionName,
    args: args as never,
  });
  await mined(stage, hash);
}

/** Pays PEARL from the miner's mature coinbases into an address, and mines it. */
export async function payPearl(stage: SwapStage, to: Party, amountSat: bigint): Promise<void> {
  const coins = minerCoins(stage).slice(0, 1);
  const paid = built(
    buildPayment([{ amount: amountSat, script: to.key.script }], {
      coins,
      changeScript: STAGE_MINER.script,
      feePerKvb: FEE_PER_KVB,
    }),
  );
  submit(stage, paid);
  await stage.minePearl(1);
}

/** Mature outputs of a key that neither the chain nor the mempool spends. */
export function coinsOf(
  stage: SwapStage,
  key: SigningKey,
): readonly { readonly coin: Coin; readonly key: SigningKey }[] {
  const { chain, mempool } = stage.pearl;
  const tip = chain.tip.height;
  const found: { readonly coin: Coin; readonly key: SigningKey }[] = [];
  for (const [place, coin] of chain.coins.all()) {
    if (!Buffer.from(coin.script).equals(Buffer.from(key.script))) continue;
    if (coin.coinbase && tip + 1 - coin.height < 100) continue;
    const [txid = "", vout = ""] = place.split(":");
    if (mempool.spender(place) !== undefined) continue;
    found.push({ coin: { txid, vout: Number(vout), amount: coin.value, script: coin.script }, key });
  }
  return found;
}

function minerCoins(stage: SwapStage) {
  return coinsOf(stage, STAGE_MINER);
}

/** The lock of a deal row's terms. */
export function lockOfDeal(row: Readonly<Record<string, unknown>>): SwapLock {
  const bytes = (name: string): Uint8Array => Buffer.from(String(row[name]).slice(2), "hex");
  return swapLock({
    hashlock: bytes("hashlock"),
    buyerKey: bytes("buyer_pearl_pubkey"),
    sellerKey: bytes("seller_pearl_pubkey"),
    refundTime: Number(row["pearl_refund_time"]),
  });
}

/** Funding without coins: the spent output pays. */
export function change(person: Party) {
  return { coins: [], changeScript: person.key.script, feePerKvb: FEE_PER_KVB };
}

/** Locks PEARL from the seller's coins; returns the lock output. */
export function lockPearl(stage: SwapStage, seller: Party, lock: SwapLock, amountSat: bigint): Coin {
  const funding = {
    coins: coinsOf(stage, seller.key),
    changeScript: seller.key.script,
    feePerKvb: FEE_PER_KVB,
  };
  const locked = built(buildSwapLock(lock, amountSat, funding));
  const txid = submit(stage, locked);
  return { txid, vout: 0, amount: amountSat, script: lock.script };
}

/** Claims a lock output with the secret; returns the claim's id. */
export function claimPearl(stage: SwapStage, buyer: Party, lock: SwapLock, coin: Coin, secret: Hex): string {
  const bytes = Buffer.from(secret.slice(2), "hex");
  const part = { lock, coin, secret: bytes, key: buyer.key, promised: coin.amount };
  return submit(stage, built(buildSwapClaim([part], change(buyer))));
}

/** Takes a lock output back after T_p; returns the refund's id. */
export function refundPearl(stage: SwapStage, seller: Party, lock: SwapLock, coin: Coin): string {
  return submit(stage, built(buildSwapRefund([{ lock, coin, key: seller.key }], change(seller))));
}

/** Hands a transaction to the node. @throws Error with the node's words. */
export function submit(stage: SwapStage, tx: SignedTx): string {
  const outcome = stage.pearl.submitRaw(tx.hex);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.txid;
}
