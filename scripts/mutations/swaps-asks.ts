// Breaks of readiness (S-02, S-05, S-62), its settings, and the use cases of asks (S-30 to S-34, H-42).

import { type Break, inFile } from "./break.ts";

const readiness = inFile("src/swaps/readiness.ts", [
  {
    rule: "S-05",
    find: "Math.max(this.#clockS(), evm.time, pearl.medianTimePast)",
    replace: "this.#clockS()",
    why: "now is our clock alone",
  },
  {
    rule: "S-05",
    find: 'this.check("evm", tips) === null ? Math.max(before, this.now(tips)) : before',
    replace: "Math.max(before, this.now(tips))",
    why: "things die while the EVM index is not synced",
  },
  {
    rule: "S-05",
    find: "this.#lastSynced = this.#expiryNow(this.#deps.tips());",
    replace: "",
    why: "what was dead comes back to life while the EVM index is not synced",
  },
  {
    rule: "S-54",
    find: 'const isReady = this.check("deals", tips) === null;',
    replace: "const isReady = true;",
    why: "marked actions are offered while an index is behind",
  },
  {
    rule: "S-05",
    find: "this.#deps.clock.monotonicMs() - answeredAtMonotonicMs",
    replace: "this.#deps.clock.nowMs() - answeredAtMonotonicMs",
    why: "silence is measured by a clock that can be set back",
  },
  {
    rule: "S-05",
    find: "return Math.max(this.#clockS() - blockTime, watched);",
    replace: "return this.#clockS() - blockTime;",
    why: "a frozen chain looks fresh when the clock is set back",
  },
  {
    rule: "S-05",
    find: "if (blockIntervalS === null) {",
    replace: "if (blockIntervalS === null) return null;\n    if (blockIntervalS === null) {",
    why: "an unknown pace of PEARL passes",
  },
  {
    rule: "S-05",
    find: "if (nodeHeight >= tips.pearl.height) return null;",
    replace: "if (nodeHeight >= -1) return null;",
    why: "blocks that the node no longer has go on confirming",
  },
  {
    rule: "S-62",
    find: "> this.#limits.answerWithinS * 1000",
    replace: "> this.#limits.answerWithinS * 1_000_000",
    why: "a silent side counts as available",
  },
  {
    rule: "S-05",
    find: "if (finalReplaced) {",
    replace: "if (false) {",
    why: "a replaced final block stops nothing",
  },
  {
    rule: "S-05",
    find: "if (agreed) return null;",
    replace: "return null;",
    why: "RPCs that disagree stop nothing",
  },
  {
    rule: "S-05",
    find: "if (lag > pearlLagBlocks) {",
    replace: "if (lag > pearlLagBlocks + 1) {",
    why: "the PEARL index may lack a block more",
  },
  {
    rule: "S-05",
    find: "if (pearlTipAgeS !== null && age > pearlTipAgeS) {",
    replace: "if (false) {",
    why: "an old PEARL tip stops nothing",
  },
  {
    rule: "S-05",
    find: "connections === null || connections < minPeers",
    replace: "connections !== null && connections < minPeers",
    why: "unknown connections are enough",
  },
  {
    rule: "S-05",
    find: "connections === null || connections < minPeers",
    replace: "connections === null || connections <= minPeers",
    why: "one connection more is wanted",
  },
  {
    rule: "S-02",
    find: "blockIntervalS <= this.#limits.blockIntervalS",
    replace: "true",
    why: "slow PEARL blocks stop nothing",
  },
  {
    rule: "S-05",
    find: "if (lag === null || lag > evmLagS) {",
    replace: "if (lag === null) {",
    why: "an EVM index that is behind stops nothing",
  },
  {
    rule: "S-05",
    find: "if (evmHeadAgeS !== null && age > evmHeadAgeS) {",
    replace: "if (false) {",
    why: "an old EVM head stops nothing",
  },
  {
    rule: "S-62",
    find: "(pearl ? (this.#pearlSilent() ?? this.#pearlFallenBack(tips)) : null) ??\n      (evm ? this.#evmSilent() : null) ??",
    replace:
      "(evm ? this.#evmSilent() : null) ??\n      (pearl ? (this.#pearlSilent() ?? this.#pearlFallenBack(tips)) : null) ??",
    why: "PEARL_NODE_UNAVAILABLE is not judged first",
  },
]);

const settings = inFile("src/app/config/read-swaps.ts", [
  { rule: "S-05", find: "isPlay ? 0 : 3)", replace: "0)", why: "no connections are wanted on mainnet" },
  {
    rule: "S-05",
    find: "isPlay ? null : 2400)",
    replace: "null)",
    why: "mainnet's tip may be as old as it likes",
  },
  {
    rule: "S-05",
    find: "isPlay ? null : 300)",
    replace: "null)",
    why: "the EVM head may be as old as it likes on mainnet",
  },
  {
    rule: "S-05",
    find: "if (urls.includes(url.href)) {",
    replace: "if (false) {",
    why: "an RPC may agree with itself",
  },
  {
    rule: "S-02",
    find: 'reader.integer("SWAP_MARGIN_S", 14_400,',
    replace: 'reader.integer("SWAP_MARGIN_S", 14_399,',
    why: "a margin below the contract's floor is accepted",
  },
  {
    rule: "S-05",
    find: 'reader.optionalInteger(name, 1, 100_000, "or finalized")',
    replace: 'reader.optionalInteger(name, 0, 100_000, "or finalized")',
    why: "0 confirmations are final",
  },
]);

const asks = [
  ...inFile("src/swaps/usecases/create-ask.ts", [
    {
      rule: "S-32",
      find: "leastAskUsdc(deps.limits, escrow)",
      replace: "deps.limits.askMinUsdc",
      why: "the contract's own minimum does not count",
    },
    {
      rule: "S-32",
      find: "if (known !== null) return answer",
      replace: "if (false) return answer",
      why: "a known ask is judged anew",
    },
    {
      rule: "S-30",
      find: "fields.fee_bps !== null && fields.fee_bps !== fee.feeBps",
      replace: "false",
      why: "another fee than the contract's is accepted and replaced",
    },
    {
      rule: "S-30",
      find: "fields.fee_recipient !== null && fields.fee_recipient !== fee.feeRecipient",
      replace: "false",
      why: "another fee recipient is accepted and replaced",
    },
    {
      rule: "S-32",
      find: 'return deps.verifySchnorr(key, hash, signature) ? "valid" : "invalid";',
      replace: 'return "valid";',
      why: "any PEARL proof is valid",
    },
    {
      rule: "S-32",
      find: 'if (signature === null) return "invalid";',
      replace: 'if (signature === null) return "absent";',
      why: "a malformed PEARL proof counts as absent",
    },
    {
      rule: "S-32",
      find: 'if (signed.kind === "unavailable") return refusal("EVM_RPC_UNAVAILABLE");',
      replace: "",
      why: "an account that cannot be read has a wrong signature",
    },
  ]),
  ...inFile("src/swaps/usecases/signed-actions.ts", [
    {
      rule: "H-42",
      find: "deadline <= now || deadline > now + MAX_DEADLINE_S",
      replace: "deadline <= now",
      why: "a deadline may be a day ahead",
    },
    {
      rule: "H-42",
      find: "deadline <= now || deadline > now + MAX_DEADLINE_S",
      replace: "deadline > now + MAX_DEADLINE_S",
      why: "a dead action is carried out",
    },
    {
      rule: "H-42",
      find: "return deadline > last ? null :",
      replace: "return true ? null :",
      why: "an older action overrides a newer one",
    },
    {
      rule: "H-42",
      find: 'if (verdict.kind === "invalid") return refusal("ASK_ACTION_SIGNATURE_INVALID");',
      replace: "",
      why: "anybody changes anybody's asks",
    },
    {
      rule: "H-42",
      find: "if (last?.action === action && last.deadline === deadline) return err(shown(deps, ask, action));",
      replace: "",
      why: "the same POST twice is refused",
    },
    {
      rule: "H-42",
      find: 'if (status === "ASK_TAKEN" || status === "ASK_CANCELLED") return err(refusal(status));',
      replace: "",
      why: "a cancelled ask is resumed",
    },
    {
      rule: "S-34",
      find: 'if (action === "resume") await deps.rechecks.look(ask.terms.sellerPearlAddress, "request");',
      replace: "",
      why: "a resumed ask is open on an old balance",
    },
    {
      rule: "S-33",
      find: 'action === "cancel" ? { ...row, binding_on_chain: false } : row',
      replace: "row",
      why: "a cancel does not say that it binds the API alone",
    },
    {
      rule: "H-42",
      find: 'ask.cancelledBySignature || action === "cancel"',
      replace: "ask.cancelledBySignature",
      why: "a cancel does nothing",
    },
  ]),
  ...inFile("src/swaps/usecases/ask-recheck.ts", [
    {
      rule: "S-34",
      find: "if (isRowSame && !isTimeOld) return ask;",
      replace: "",
      why: "each round writes every ask",
    },
    {
      rule: "S-34",
      find: "Math.min(LONGEST_WAIT_MIN, before * 2)",
      replace: "1",
      why: "an address that funds nothing is asked about for ever",
    },
    {
      rule: "S-31",
      find: "failures === FAILURES_OF_SELLER",
      replace: "false",
      why: "a contract that burns its gas is called for each of its asks",
    },
    {
      rule: "S-31",
      find: 'else if (before.get(seller) !== "key") await this.#judgeByKey(seller);',
      replace: "",
      why: "a seller who is a contract no longer stays paused",
    },
    {
      rule: "S-34",
      find: "const STALE_AFTER_S = 6 * 3600;",
      replace: "const STALE_AFTER_S = 0;",
      why: "a source that fails once pauses asks",
    },
    {
      rule: "S-34",
      find: "funded: funded ?? (isStale ? false : ask.funded)",
      replace: "funded: funded ?? ask.funded",
      why: "a source that fails for ever pauses nothing",
    },
    {
      rule: "S-34",
      find: "funded: funded ?? (isStale ? false : ask.funded)",
      replace: "funded: ask.funded",
      why: "a re-check changes nothing",
    },
  ]),
  ...inFile("src/swaps/usecases/balance-lookups.ts", [
    {
      rule: "S-34",
      find: "this.#ledger.lockOutput(outpoint) !== null",
      replace: "false",
      why: "lock outputs count as a seller's balance",
    },
    {
      rule: "S-34",
      find: "if (known !== undefined) return known;",
      replace: "",
      why: "an address is looked up once for each who asks",
    },
  ]),
  ...inFile("src/swaps/usecases/ask-index.ts", [
    {
      rule: "S-34",
      find: "isAccepted && order?.outputs.every((output) => output.mined === null) === true",
      replace: "isAccepted",
      why: "a taken ask keeps its PEARL busy after the lock",
    },
    {
      rule: "S-34",
      find: "facts.accepted !== null && facts.closed === null",
      replace: "facts.accepted !== null",
      why: "a refunded order keeps its PEARL busy",
    },
    {
      rule: "S-05",
      find: "if (dead.length > 0) this.#look(dead);",
      replace: "",
      why: "lists show an expired ask as open",
    },
    {
      rule: "H-40",
      find: '(includeUnfunded || shelf !== "unfunded")',
      replace: "true",
      why: "unfunded asks are listed",
    },
  ]),
  ...inFile("src/swaps/usecases/ask-order.ts", [
    {
      rule: "H-40",
      find: "if (left !== right) return left < right ? -1 : 1;",
      replace: "if (left !== right) return Number(left) < Number(right) ? -1 : 0;",
      why: "prices are ordered by floating point",
    },
  ]),
  ...inFile("src/swaps/ledger/ledger-changes.ts", [
    {
      rule: "S-34",
      find: "if (orders.byAsk.has(askId)) continue;",
      replace: "",
      why: "an ask that an order carries is forgotten",
    },
    {
      rule: "S-34",
      find: "if (endedAt + KEPT_S <= (expiryNow ?? now)) records.removeAsk(askId, this.#draft);",
      replace: "",
      why: "asks are kept for ever",
    },
  ]),
  ...inFile("src/swaps/usecases/signature-judge.ts", [
    {
      rule: "S-31",
      find: "if (normal === null || this.#deps.recover(digest, normal) !== account) return INVALID;",
      replace: "if (normal === null) return INVALID;",
      why: "anybody signs for anybody",
    },
    {
      rule: "S-31",
      find: 'return verdict === "valid" ? { kind: "valid", kept, byContract: true } : INVALID;',
      replace: 'return { kind: "valid", kept, byContract: true };',
      why: "a contract's refusal does not count",
    },
    {
      rule: "S-31",
      find: 'answers[i] === true ? "contract" : "key"',
      replace: '"key"',
      why: "contract accounts cannot sign",
    },
    {
      rule: "S-31",
      find: "kept: `0x${bytesToHex(normal)}`",
      replace: "kept: String(bytesToHex(bytes))",
      why: "the kept signature is not the contract's form",
    },
    {
      rule: "S-31",
      find: 'const UNAVAILABLE = { kind: "unavailable" } as const;',
      replace: "const UNAVAILABLE = INVALID;",
      why: "an account that cannot be read has a wrong signature",
    },
  ]),
];

/** All of them. */
export const SWAPS_ASKS: readonly Break[] = [...readiness, ...settings, ...asks];
