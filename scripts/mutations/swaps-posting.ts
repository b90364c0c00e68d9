// Breaks of the judgement of asks and takes: S-30 to S-34, S-40 to S-42, H-40.

import { type Break, inFile } from "./break.ts";

const asks = [
  ...inFile("src/swap/judge-ask.ts", [
    {
      rule: "S-32",
      find: "terms.usdcAmount < minUsdc",
      replace: "terms.usdcAmount <= minUsdc",
      why: "an ask of exactly the minimum is refused",
    },
    {
      rule: "S-32",
      find: 'return fits ? null : { code: "ASK_SELLER_PEARL_PUBKEY_MISMATCH"',
      replace: 'return true ? null : { code: "ASK_SELLER_PEARL_PUBKEY_MISMATCH"',
      why: "a key that fits no address is accepted",
    },
    { rule: "S-32", find: 'proof === "invalid" ||', replace: "", why: "a wrong PEARL proof is accepted" },
    {
      rule: "S-32",
      find: '(proof === "absent" && isProofRequired)',
      replace: "false",
      why: "REQUIRE_PEARL_PROOF does nothing",
    },
    {
      rule: "S-32",
      find: "terms.expiry <= now ||",
      replace: "terms.expiry < now ||",
      why: "an ask that is dead at once is accepted",
    },
    {
      rule: "S-32",
      find: "terms.expiry > now + ASK_LIFE_MAX_S",
      replace: "terms.expiry > now + ASK_LIFE_MAX_S + 1",
      why: "an ask may live longer than 30 days",
    },
    {
      rule: "S-32",
      find: "terms.nonce < state.minNonce",
      replace: "terms.nonce <= state.minNonce",
      why: "the lowest valid nonce is refused",
    },
    {
      rule: "S-32",
      find: "state.ofSeller >= OF_SELLER_MAX",
      replace: "state.ofSeller > OF_SELLER_MAX",
      why: "51 open asks are accepted",
    },
    {
      rule: "S-32",
      find: "kept.all >= askMax",
      replace: "kept.all > askMax",
      why: "ASK_MAX is passed by one",
    },
    {
      rule: "S-32",
      find: "!state.isProven && kept.unproven >= UNPROVEN_MAX",
      replace: "kept.unproven >= UNPROVEN_MAX",
      why: "strangers' unproven asks keep out who proves his key",
    },
    {
      rule: "S-32",
      find: 'if (state.isTaken) return { code: "ASK_TAKEN", details: {} };',
      replace: "",
      why: "a taken ask can be posted",
    },
    {
      rule: "S-32",
      find: "return limitFault(state) ?? state.unready;",
      replace: "return limitFault(state);",
      why: "asks are created though the index is behind",
    },
    {
      rule: "S-34",
      find: "const needed = fundingNeed(ask, onAddress);",
      replace: "const needed = fundingNeed(ask, []);",
      why: "one balance pays for two asks",
    },
    {
      rule: "S-34",
      find: "needed <= balanceSat",
      replace: "needed < balanceSat",
      why: "exactly enough PEARL are too few",
    },
  ]),
  ...inFile("src/swap/funding.ts", [
    {
      rule: "S-34",
      find: 'ask.status === "ASK_TAKEN" && ask.isLockAwaited',
      replace: "false",
      why: "PEARL promised to a taken ask is counted as free",
    },
    {
      rule: "S-34",
      find: 'ask.status === "ASK_TAKEN" && ask.isLockAwaited',
      replace: 'ask.status === "ASK_TAKEN"',
      why: "locked PEARL is wanted a second time",
    },
    {
      rule: "S-34",
      find: 'ask.status === "ASK_OPEN" || ask.status === "ASK_PAUSED"',
      replace: 'ask.status === "ASK_OPEN"',
      why: "paused asks take no part in the sum",
    },
    {
      rule: "S-34",
      find: "a.record.createdAt - b.record.createdAt ||",
      replace: "b.record.createdAt - a.record.createdAt ||",
      why: "the newest ask is funded first",
    },
    {
      rule: "S-34",
      find: "(ask.pearlKeyProven && terms.seller !== seller)",
      replace: "terms.seller !== seller",
      why: "every EVM key uses a foreign balance once more",
    },
    {
      rule: "S-34",
      find: "unproven += pearlAmountSat;",
      replace: "",
      why: "strangers count what the owner has offered a second time",
    },
    {
      rule: "S-34",
      find: "    if (!record.pearlKeyProven) continue;\n    const { seller",
      replace: "    const { seller",
      why: "a stranger's older ask stands before the owner's",
    },
    {
      rule: "S-34",
      find: "sum <= balanceSat",
      replace: "sum < balanceSat",
      why: "an ask that is just funded is paused",
    },
  ]),
  ...inFile("src/swap/statuses.ts", [
    {
      rule: "S-33",
      find: 'if (facts.takenBy !== null) return "ASK_TAKEN";',
      replace: "",
      why: "a taken ask is open",
    },
    {
      rule: "S-33",
      find: "terms.nonce < facts.minNonce",
      replace: "terms.nonce <= facts.minNonce",
      why: "one nonce too many is revoked",
    },
    {
      rule: "S-33",
      find: "record.cancelledBySignature || isRevoked || isDead(context, terms.expiry)",
      replace: "record.cancelledBySignature || isRevoked",
      why: "an expired ask is open",
    },
    {
      rule: "S-33",
      find: "record.funded && record.signatureValid && isFeePresent",
      replace: "record.funded && record.signatureValid",
      why: "an ask with an outdated fee is open",
    },
    {
      rule: "S-31",
      find: "record.funded && record.signatureValid && isFeePresent",
      replace: "record.funded && isFeePresent",
      why: "an ask whose contract signature is void is open",
    },
    {
      rule: "S-33",
      find: "record.funded && record.signatureValid && isFeePresent",
      replace: "record.signatureValid && isFeePresent",
      why: "an ask without funds is open",
    },
    {
      rule: "S-33",
      find: "record.pausedBySignature || !isSound",
      replace: "!isSound",
      why: "a pause by signature does nothing",
    },
  ]),
  ...inFile("src/swap/rows.ts", [
    {
      rule: "H-40",
      find: "* 100_000_000n) / pearlSat",
      replace: "* 100_000_001n) / pearlSat",
      why: "the price is wrong",
    },
    {
      rule: "H-40",
      find: 'record.funded || status === "ASK_TAKEN" || status === "ASK_CANCELLED"',
      replace: "record.funded",
      why: "a taken ask is shown as unfunded",
    },
    { rule: "H-40", find: "padStart(7,", replace: "padStart(6,", why: "prices below one lose their zero" },
  ]),
];

const takes = [
  ...inFile("src/swap/judge-take.ts", [
    {
      rule: "S-40",
      find: "if (request.buyerEvm === ask.terms.seller) faults",
      replace: "if (false) faults",
      why: "a seller takes an ask of his own",
    },
    {
      rule: "S-14",
      find: "request.buyerPearlKey !== ask.terms.sellerPearlKey",
      replace: "true",
      why: "both parties may have one key",
    },
    {
      rule: "S-40",
      find: "lookups.keyFits(request.buyerPearlKey, request.buyerPearlAddress) &&",
      replace: "",
      why: "the buyer's key need not fit the address",
    },
    {
      rule: "S-40",
      find: "named !== hash || !lookups.isIndexed(hash)",
      replace: "named !== hash",
      why: "an order that is not indexed counts as canonical",
    },
    {
      rule: "S-40",
      find: "named !== hash || !lookups.isIndexed(hash)",
      replace: "!lookups.isIndexed(hash)",
      why: "another order's hash counts as canonical",
    },
    {
      rule: "S-41",
      find: "request.feeBps !== null && request.feeBps !== ask.terms.feeBps",
      replace: "false",
      why: "another fee than the ask's is accepted",
    },
    {
      rule: "S-40",
      find: "const isKeySame = sellerPearlKey === null || sellerPearlKey === ask.terms.sellerPearlKey;",
      replace: "const isKeySame = true;",
      why: "another seller key than the ask's is accepted",
    },
    {
      rule: "S-40",
      find: 'state.status !== "ASK_OPEN"',
      replace: 'state.status === "ASK_PAUSED"',
      why: "a cancelled ask can be taken",
    },
    {
      rule: "S-40",
      find: "state.isSecretKnown || state.isHashlockUsed",
      replace: "state.isHashlockUsed",
      why: "a public secret's hashlock is accepted",
    },
    {
      rule: "S-40",
      find: "state.isSecretKnown || state.isHashlockUsed",
      replace: "state.isSecretKnown",
      why: "a buyer may use a hashlock twice",
    },
    {
      rule: "S-40",
      find: "return state.unready;",
      replace: "return null;",
      why: "takes begin though the index is behind",
    },
  ]),
  ...inFile("src/swap/judge-take.ts", [
    {
      rule: "S-40",
      find: "terms.pearlRefundTime < pearlMin",
      replace: "terms.pearlRefundTime <= pearlMin",
      why: "T_p at its least is refused",
    },
    {
      rule: "S-40",
      find: "Math.min(now, evmHeadTime) + EVM_REFUND_MAX_S",
      replace: "now + EVM_REFUND_MAX_S",
      why: "T_e is bounded by our clock, not by the chain's",
    },
    {
      rule: "S-40",
      find: "terms.evmRefundTime > evmMax",
      replace: "terms.evmRefundTime > evmMax + 1",
      why: "T_e one second above the contract's bound is accepted",
    },
    {
      rule: "S-02",
      find: "terms.evmRefundTime < margin ?",
      replace: "false ?",
      why: "T_e may stand before T_p plus the margin",
    },
    {
      rule: "S-02",
      find: "const margin = terms.pearlRefundTime + rules.deltaS;",
      replace: "const margin = terms.pearlRefundTime + rules.deltaS - 1;",
      why: "the margin is one second short",
    },
    {
      rule: "S-41",
      find: "nonce: request.nonce ?? 0n",
      replace: "nonce: ask.terms.nonce",
      why: "the ask's nonce becomes the order's",
    },
    {
      rule: "S-41",
      find: "sellerPearlKey: ask.terms.sellerPearlKey",
      replace: "sellerPearlKey: request.buyerPearlKey",
      why: "the seller's key of the terms is not the ask's",
    },
  ]),
  ...inFile("src/swap/lock-call.ts", [
    {
      rule: "S-41",
      find: "subject.order !== null || subject.take === null",
      replace: "subject.take === null",
      why: "lock_call stays after the order is indexed",
    },
    {
      rule: "S-41",
      find: "seller_signature: record.signature",
      replace: 'seller_signature: "0x"',
      why: "lock_call lacks the seller's signature",
    },
    {
      rule: "S-41",
      find: "chain_id: rules.chainId",
      replace: "chain_id: 1",
      why: "lock_call names another chain",
    },
    {
      rule: "S-41",
      find: "evmRefundTime: terms.evmRefundTime.toString()",
      replace: "evmRefundTime: terms.pearlRefundTime.toString()",
      why: "lock_call has another T_e than the terms",
    },
  ]),
  ...inFile("src/swap/subject.ts", [
    {
      rule: "S-03",
      find: "usdcAmount <= rules.smallDealUsdc",
      replace: "usdcAmount < rules.smallDealUsdc",
      why: "a deal of exactly the bound is large",
    },
    {
      rule: "S-05",
      find: "(context.expiryNow ?? context.now) >= deadline",
      replace: "(context.expiryNow ?? context.now) > deadline",
      why: "nothing dies at its expiry",
    },
    {
      rule: "S-05",
      find: "(context.expiryNow ?? context.now) >= deadline",
      replace: "context.now >= deadline",
      why: "things die while the EVM index is not synced",
    },
  ]),
];

/** All of them. */
export const SWAPS_POSTING: readonly Break[] = [...asks, ...takes];
