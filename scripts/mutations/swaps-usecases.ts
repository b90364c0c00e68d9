// Breaks of the use cases of swaps, their lists and their paths (S-02, S-05, S-30 to S-66, H-40 to H-47).

import { type Break, inFile } from "./break.ts";

const readiness = inFile("src/swaps/readiness.ts", [
  {
    rule: "S-05",
    find: "Math.min(pearl.height, fork.height)",
    replace: "pearl.height",
    why: "a lock is verified on blocks that the node's chain has left, while its branch is read",
  },
  {
    rule: "S-54",
    find: "if (lag > 0 && this.#isPearlStuck(",
    replace: "if (lag < 0 && this.#isPearlStuck(",
    why: "a lock that waits in a block which cannot be read is called for again",
  },
  {
    rule: "S-54",
    find: "return isLacking || ",
    replace: "return ",
    why: "a lock that waits in a block which cannot be read is called for again when the next one comes",
  },
  {
    rule: "S-05",
    find: " || shared < tips.pearl.height",
    replace: "",
    why: "a lock is verified on blocks that the node's chain has left, where more blocks may be missing than the branch has",
  },
  {
    rule: "S-05",
    find: "Math.max(clockS, evm.time, Math.min(pearl.medianTimePast, latestS))",
    replace: "clockS",
    why: "now is our clock alone",
  },
  {
    rule: "S-05",
    find: "Math.min(pearl.medianTimePast, latestS)",
    replace: "pearl.medianTimePast",
    why: "one PEARL node ends every ask and take, and has them forgotten, by blocks of the far future",
  },
  {
    rule: "S-05",
    find: "this.#pearlAhead(tips) ?? this.#pearlOld()",
    replace: "this.#pearlOld()",
    why: "a lock is verified on PEARL blocks of the far future",
  },

  {
    rule: "S-05",
    find: "this.#lastSynced = this.#expiryNow(this.#deps.tips());",
    replace: "",
    why: "what was dead comes back to life while the EVM index is not synced",
  },

  {
    rule: "S-05",
    find: "this.#deps.clock.monotonicMs() - sinceMonotonicMs",
    replace: "this.#deps.clock.nowMs() - sinceMonotonicMs",
    why: "silence is measured by a clock that can be set back",
  },

  {
    rule: "S-05",
    find: "if (blockIntervalS === null) {",
    replace: "if (blockIntervalS === null) return null;\n    if (blockIntervalS === null) {",
    why: "an unknown pace of PEARL passes",
  },
  {
    rule: "S-05",
    find: "= tips.pearl.height)",
    replace: "= -1)",
    why: "blocks that the node no longer has go on confirming",
  },
  {
    rule: "S-62",
    find: "answerWithinS * 1000",
    replace: "answerWithinS * 1_000_000",
    why: "a silent side counts as available",
  },

  {
    rule: "S-05",
    find: "if (lag > this.#limits.pearlLagBlocks ||",
    replace: "if (lag > this.#limits.pearlLagBlocks + 1 ||",
    why: "the PEARL index may lack a block more",
  },

  {
    rule: "S-62",
    find: "(pearl ? (this.#pearlSilent() ?? this.#pearlFallenBack(tips)) : null) ??\n      (evm ? this.#evmSilent() : null) ??",
    replace:
      "(evm ? this.#evmSilent() : null) ??\n      (pearl ? (this.#pearlSilent() ?? this.#pearlFallenBack(tips)) : null) ??",
    why: "PEARL_NODE_UNAVAILABLE is not judged first",
  },
]);

const settings = [
  ...inFile("src/app/config/read-swaps.ts", [
    { rule: "S-05", find: "isPlay ? 0 : undefined)", replace: "0)", why: "mainnet wants no peers" },
    {
      rule: "S-05",
      find: '"SWAP_PEARL_TIP_AGE_S", isPlay ? null : undefined)',
      replace: '"SWAP_PEARL_TIP_AGE_S", null)',
      why: "mainnet's tip may be as old as it likes",
    },
    {
      rule: "S-05",
      find: '"SWAP_EVM_HEAD_AGE_S", isPlay ? null : undefined)',
      replace: '"SWAP_EVM_HEAD_AGE_S", null)',
      why: "the EVM head may be as old as it likes on mainnet",
    },
  ]),
  ...inFile("src/app/config/declaration.ts", [
    {
      rule: "S-02",
      find: "least: 14_400,",
      replace: "least: 14_399,",
      why: "a margin below the contract's floor passes",
    },
    {
      rule: "S-05",
      find: 'fallback: "finalized", least: 1,',
      replace: 'fallback: "finalized", least: 0,',
      why: "0 confirmations are final",
    },
  ]),
];

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
      find: 'return deps.verifySchnorr(key, hash, signature) ? "valid" : "invalid";',
      replace: 'return "valid";',
      why: "any PEARL proof is valid",
    },
  ]),
  ...inFile("src/swaps/usecases/ask-recheck.ts", [
    {
      rule: "S-34",
      find: "(isStale ? false : ask.funded)",
      replace: "ask.funded",
      why: "a source that fails for ever pauses nothing",
    },
  ]),
  ...inFile("src/swaps/usecases/ask-order.ts", [
    {
      rule: "H-40",
      find: "left < right ? -1 : 1",
      replace: "Number(left) < Number(right) ? -1 : 0",
      why: "prices are ordered by floating point",
    },
  ]),
  ...inFile("src/swaps/usecases/signature-judge.ts", [
    {
      rule: "S-31",
      find: 'hasCode ? "contract" : "key"',
      replace: '"key"',
      why: "contract accounts cannot sign",
    },

    {
      rule: "S-31",
      find: '{ kind: "unavailable" } as const',
      replace: "INVALID",
      why: "an account that cannot be read has a wrong signature",
    },
  ]),
  ...inFile("src/swaps/usecases/question-lanes.ts", [
    {
      rule: "S-31",
      find: "{ atOnce: 4,",
      replace: "{ atOnce: 400,",
      why: "strangers ask our EVM RPC as much as they like",
    },
    {
      rule: "S-31",
      find: "this.#waiting.length >= this.#bounds.waiting",
      replace: "false",
      why: "any number of requests wait for an answer about an account",
    },
  ]),
];

const takes = inFile("src/swaps/usecases/take-ask.ts", [
  {
    rule: "S-42",
    find: "now + deps.limits",
    replace: "now + 2 * deps.limits",
    why: "takes live twice as long",
  },
  {
    rule: "S-40",
    find: "deal:${plan.value.hash",
    replace: "${Math.random()",
    why: "the same POST twice at once creates twice",
  },

  {
    rule: "S-40",
    find: "isHashlockUsed: ledger.isHashlockUsed(terms.buyer, terms.hashlock, hash)",
    replace: "isHashlockUsed: false",
    why: "a buyer may use a hashlock twice",
  },
  {
    rule: "S-40",
    find: "headHeight < 0 ? null : headTime",
    replace: "context.now",
    why: "T_e is bounded by our clock, not by the chain's",
  },
]);

const deals = [
  ...inFile("src/swaps/usecases/accept-lock.ts", [
    {
      rule: "S-55",
      find: "return fits ? null : refusal(",
      replace: "return true ? null : refusal(",
      why: "an address of a stranger is kept as the seller's",
    },
  ]),
  ...inFile("src/swaps/usecases/lock-hints.ts", [
    {
      rule: "S-60",
      find: "const HINT_TTL_S = 30 * 60;",
      replace: "const HINT_TTL_S = 60 * 60;",
      why: "hints live an hour",
    },
    {
      rule: "S-60",
      find: "const MAX_HINTS = 4;",
      replace: "const MAX_HINTS = 5;",
      why: "five hints are kept",
    },
  ]),
  ...inFile("src/swaps/usecases/lookups.ts", [
    {
      rule: "S-62",
      find: "const MAX_IN_FLIGHT = 4;",
      replace: "const MAX_IN_FLIGHT = 400;",
      why: "strangers ask our node as much as they like",
    },
    {
      rule: "S-62",
      find: "= undefined) return",
      replace: "= undefined && now < 0) return",
      why: "an answer is not reused",
    },
  ]),
  ...inFile("src/swaps/usecases/verifications.ts", [
    {
      rule: "S-62",
      find: "return subject.isCovered ? null : noVerdict(deps, subject, NOT_COVERED);",
      replace: "return null;",
      why: "a verdict is given before the script's blocks are read",
    },
    {
      rule: "S-62",
      find: "reads.lockOutput(outpointOf(outpoint)));",
      replace: "null);",
      why: "what the index knows of another order's lock is looked up",
    },
  ]),
  ...inFile("src/swaps/usecases/signed-actions.ts", [
    {
      rule: "S-64",
      find: "const MAX_REF = 128;",
      replace: "const MAX_REF = 129;",
      why: "a ref of 129 characters is accepted",
    },
  ]),
  ...inFile("src/swaps/usecases/swap-reads.ts", [
    {
      rule: "S-65",
      find: ".tips.evm.time",
      replace: ".now",
      why: "the last day ends at our clock",
    },

    {
      rule: "S-42",
      find: "reads.liveTakes(askId, readiness.context().expiryNow)",
      replace: "0",
      why: "live takes are not counted",
    },
    {
      rule: "S-66",
      find: "return this.#guard.holdsSecret(text);",
      replace: "return false;",
      why: "secrets are let in",
    },
  ]),
  ...inFile("src/swaps/usecases/dependencies.ts", [
    {
      rule: "S-40",
      find: "before.then(job, job",
      replace: "job(",
      why: "jobs of one key overtake each other",
    },
  ]),
];

const lists = [
  ...inFile("src/swaps/usecases/lists.ts", [
    { rule: "H-43", find: ".slice(0, MAX_OF_ADDRESS)", replace: "", why: "more than 100 rows of an address" },
    {
      rule: "H-06",
      find: "(isBack ? apart < 0 : apart > 0)",
      replace: "apart !== 0",
      why: "a page of a transaction's steps has those before the cursor",
    },
  ]),
  ...inFile("src/swaps/usecases/pages.ts", [
    {
      rule: "H-06",
      find: "[end ?? lastKey, firstKey]",
      replace: "[firstKey, firstKey]",
      why: "the next page begins behind the first row",
    },
    {
      rule: "H-06",
      find: '"next" ? ends.last : null',
      replace: '"next" ? start.key : null',
      why: "the way back from a page whose rows have left misses the row before it",
    },
  ]),
  ...inFile("src/swaps/usecases/sorted-list.ts", [
    {
      rule: "S-55",
      find: "this.#compare(entry, place) > 0",
      replace: "this.#compare(entry, place) >= 0",
      why: "the row of the cursor stands on both pages",
    },
  ]),
  ...inFile("src/swaps/usecases/taproot-key-index.ts", [
    {
      rule: "S-14",
      find: "[program, ...[",
      replace: "[...[",
      why: "a key that is itself the address's program is not found",
    },
    {
      rule: "H-40",
      find: "this.#waiting = this.#waiting.filter((key) => keys.has(key));",
      replace: "this.#waiting.push(...this.#waiting.splice(0).filter((key) => keys.has(key)));",
      why: "with more keys than a call has room for, no service starts",
    },
  ]),
  ...inFile("src/swaps/usecases/swap-reads.ts", [
    {
      rule: "H-44",
      find: "leastAskUsdc(limits, escrow).toString()",
      replace: "limits.askMinUsdc.toString()",
      why: "the setting's minimum is told though the contract wants more",
    },
  ]),
  ...inFile("src/swaps/usecases/read-fields.ts", [
    {
      rule: "H-46",
      find: "Object.hasOwn(body, name) ? body[name] : undefined",
      replace: "body[name]",
      why: "members that every object inherits are fields",
      equivalent: "no field has such a name",
    },
  ]),
];

const http = [
  ...inFile("src/http/routes/swaps/swap-route.ts", [
    {
      rule: "S-62",
      find: "503, body, { ...headers, ...retryAfter() }",
      replace: "200, body, headers",
      why: "no verdict is answered with 200",
    },
  ]),
];

/** All of them. */
export const SWAPS_USECASES: readonly Break[] = [
  ...readiness,
  ...settings,
  ...asks,
  ...takes,
  ...deals,
  ...lists,
  ...http,
];
