// Breaks of the use cases of takes (S-40 to S-42) and deals (S-55, S-60 to S-66).

import { type Break, inFile } from "./break.ts";

const takes = inFile("src/swaps/usecases/take-ask.ts", [
  {
    rule: "S-42",
    find: "expiresAt: now + deps.limits.takeTtlS",
    replace: "expiresAt: now + 2 * deps.limits.takeTtlS",
    why: "takes live twice as long",
  },
  {
    rule: "S-40",
    find: "deps.locks.run(`deal:${plan.value.hash}`, () => settle",
    replace: "deps.locks.run(`${Math.random()}`, () => settle",
    why: "the same POST twice at once creates twice",
  },
  {
    rule: "S-40",
    find: "if (subject === null || subject.take !== null) return;",
    replace: "return;",
    why: "a take whose order came first keeps no address",
  },
  {
    rule: "S-31",
    find: "const signature = await recheckSignature(deps, ledger.ask(ask.askId) ?? ask);",
    replace: "const signature = null;",
    why: "a contract signature is not checked again at the take",
  },
  {
    rule: "S-40",
    find: "isSecretKnown: ledger.secretOf(terms.hashlock) !== null",
    replace: "isSecretKnown: false",
    why: "a public secret's hashlock is accepted",
  },
  {
    rule: "S-40",
    find: "isHashlockUsed: ledger.isHashlockUsed(terms.buyer, terms.hashlock, hash)",
    replace: "isHashlockUsed: false",
    why: "a buyer may use a hashlock twice",
  },
  {
    rule: "S-40",
    find: "evmHeadTime: deps.evmStanding().headTime",
    replace: "evmHeadTime: context.now",
    why: "T_e is bounded by our clock, not by the chain's",
  },
  {
    rule: "S-40",
    find: 'unready: signature ?? unreadyOf(deps, "deals")',
    replace: "unready: signature",
    why: "takes begin though the index is behind",
  },
  {
    rule: "S-40",
    find: "if (isIndexed(deps, hash) || isLiveTake(deps, hash, before)) {",
    replace: "if (isIndexed(deps, hash)) {",
    why: "the same POST twice is judged anew",
  },
  {
    rule: "S-42",
    find: "return take !== null && !isDead(context, take.expiresAt);",
    replace: "return take !== null;",
    why: "a dead take is answered as a live one",
  },
]);

const deals = [
  ...inFile("src/swaps/usecases/accept-lock.ts", [
    {
      rule: "S-55",
      find: "buyer !== null && !keyFitsAddress(subject.terms.buyerPearlKey, buyer, crypto)",
      replace: "false",
      why: "an address of a stranger is kept as the buyer's",
    },
    {
      rule: "S-55",
      find: "return fits ? null : refusal(",
      replace: "return true ? null : refusal(",
      why: "an address of a stranger is kept as the seller's",
    },
    {
      rule: "S-60",
      find: "deps.hints.add(subject.hash, txid, vout, deps.readiness.now());",
      replace: "",
      why: "hints are not kept",
    },
    {
      rule: "S-53",
      find: "if (block !== null) deps.readBlockSoon(block.height);",
      replace: "",
      why: "the block of an older lock is not read",
    },
    {
      rule: "S-60",
      find: "dealRow(subject, context, rules) ?? bidRow(subject, context, rules)",
      replace: "dealRow(subject, context, rules)",
      why: "accept-lock of a bid has no answer",
    },
  ]),
  ...inFile("src/swaps/usecases/dependencies.ts", [
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
    {
      rule: "S-60",
      find: "return this.live(orderHash, now).at(-1) ?? null;",
      replace: "return this.live(orderHash, now)[0] ?? null;",
      why: "the oldest hint is judged",
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
      find: "if (last !== undefined) return",
      replace: "if (last !== undefined && now < 0) return",
      why: "an answer is not reused",
    },
    {
      rule: "S-62",
      find: "(last.txid === txid ? last.answer : null) ?? BUSY;",
      replace: "last.answer ?? BUSY;",
      why: "the answer for another transaction is reused",
    },
    {
      rule: "S-62",
      find: 'catch {\n      return { kind: "unavailable" };',
      replace: 'catch {\n      return { kind: "absent" };',
      why: "a node that is down has no such transaction",
    },
    {
      rule: "S-62",
      find: "this.#asking.delete(client);",
      replace: "",
      why: "after four look-ups there are no more",
    },
    {
      rule: "S-62",
      find: " || this.#asking.has(client)) return BUSY;",
      replace: ") return BUSY;",
      why: "one client takes all look-ups",
    },
    {
      rule: "S-62",
      find: "const key = `${deal}/${client}`;",
      replace: "const key = deal;",
      why: "a stranger's question keeps the right one from being answered",
    },
  ]),
  ...inFile("src/swaps/usecases/verifications.ts", [
    {
      rule: "S-62",
      find: 'const unready = readyFor(deps, "deals", subject);\n  if (unready !== null) return unready;\n  return judgeLock',
      replace: "return judgeLock",
      why: "a verdict is given while an index is behind",
    },
    {
      rule: "S-60",
      find: "if ((txid === null) !== (vout === null)) {",
      replace: "if (false) {",
      why: "a txid without vout is ignored",
    },
    {
      rule: "S-62",
      find: 'const unready = deps.readiness.check("evm") ?? disputeOf(subject);',
      replace: 'const unready = deps.readiness.check("deals") ?? disputeOf(subject);',
      why: "verify-evm-refund needs PEARL, too",
    },
    {
      rule: "S-62",
      find: "details: { ...none.details, ...details }",
      replace: "details",
      why: "no verdict lacks the details that every verification has",
    },
    {
      rule: "S-62",
      find: "return subject.isCovered ? null : noVerdict(deps, subject, NOT_COVERED);",
      replace: "return null;",
      why: "a verdict is given before the script's blocks are read",
    },
    {
      rule: "S-62",
      find: 'return known === null ? choice : { from: "facts", ...known };',
      replace: "return known === null || txid !== undefined ? choice : null;",
      why: "what the index knows of another order's lock is looked up",
    },
  ]),
  ...inFile("src/swaps/usecases/signed-actions.ts", [
    {
      rule: "S-64",
      find: 'if (verdict.kind === "invalid") return refusal("ORIGIN_SIGNATURE_INVALID");',
      replace: "",
      why: "anybody sets an origin",
    },
    {
      rule: "S-64",
      find: 'ref: ref ?? ""',
      replace: 'ref: ref ?? "null"',
      why: "an absent ref is not the empty string in the digest",
    },
    {
      rule: "S-64",
      find: "const MAX_REF = 128;",
      replace: "const MAX_REF = 129;",
      why: "a ref of 129 characters is accepted",
    },
    {
      rule: "S-64",
      find: 'if (order === null) return refusal("ORDER_NOT_FOUND");\n',
      replace: 'if (order === null) return refusal("DEAL_NOT_FOUND");\n',
      why: "an unknown order is told as an unknown deal",
    },
    {
      rule: "S-64",
      find: "await ledger.write({ origins: [{ orderHash, origin, ref }] });",
      replace:
        "if (ledger.subject(orderHash)?.origin === null) await ledger.write({ origins: [{ orderHash, origin, ref }] });",
      why: "the first origin wins",
    },
  ]),
  ...inFile("src/swaps/usecases/swap-api.ts", [
    {
      rule: "S-65",
      find: "asks.counts(), context.tips.evm.time)",
      replace: "asks.counts(), context.now)",
      why: "the last day ends at our clock",
    },
    {
      rule: "S-42",
      find: "if (orderHash !== null) return this.deal(orderHash);",
      replace: "",
      why: "a taken ask has no deal",
    },
    {
      rule: "S-42",
      find: "{ unfunded: ledger.liveTakes(askId, readiness.now()) }",
      replace: "{ unfunded: 0 }",
      why: "live takes are not counted",
    },
    {
      rule: "S-66",
      find: "return this.#guard.holdsSecret(text);",
      replace: "return false;",
      why: "secrets are let in",
    },
    {
      rule: "H-40",
      find: "this.#programs.add(ask.terms.sellerPearlKey);",
      replace: "ask.terms.sellerPearlKey;",
      why: "a seller's key does not find asks",
    },
    {
      rule: "S-66",
      find: "this.#programs.has(value) ||",
      replace: "",
      why: "a key that rows show is refused as a secret when somebody makes a hashlock of it",
    },
  ]),
  ...inFile("src/swaps/usecases/dependencies.ts", [
    {
      rule: "S-40",
      find: "const mine = before.then(job, job);",
      replace: "const mine = job();",
      why: "jobs of one key overtake each other",
    },
  ]),
];

/** All of them. */
export const SWAPS_DEALS: readonly Break[] = [...takes, ...deals];
