// Breaks of the use cases of swaps and of their HTTP: readiness (S-02, S-05), asks (S-30 to S-34, H-42), takes (S-40 to
// S-42), hints and verifications (S-60 to S-62), origins (S-64), stats (S-65), secrets (S-66), lists (H-40 to H-47).

import { type Break, inFile } from "./break.ts";

const readiness = inFile("src/service/swaps/readiness.ts", [
  {
    rule: "S-05",
    find: "Math.max(this.#clockS(), evm.time, pearl.medianTimePast)",
    replace: "this.#clockS()",
    why: "now is our clock alone",
  },
  {
    rule: "S-05",
    find: 'this.check("evm", tips) === null ? Math.max(before, now) : before',
    replace: "Math.max(before, now)",
    why: "things die while the EVM index is not synced",
  },
  {
    rule: "S-54",
    find: 'mayAct: this.check("deals", tips) === null',
    replace: "mayAct: true",
    why: "marked actions are offered while an index is behind",
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
    find: "blockIntervalS === null || blockIntervalS <= this.#limits.blockIntervalS",
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
    find: "(pearl ? this.#pearlSilent() : null) ??\n      (evm ? this.#evmSilent() : null) ??",
    replace: "(evm ? this.#evmSilent() : null) ??\n      (pearl ? this.#pearlSilent() : null) ??",
    why: "PEARL_NODE_UNAVAILABLE is not judged first",
  },
]);

const settings = inFile("src/config/read-swaps.ts", [
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
    equivalent: "S-03's judgement refuses it a second time",
  },
  {
    rule: "S-05",
    find: 'reader.optionalInteger(name, 1, 100_000, "or finalized")',
    replace: 'reader.optionalInteger(name, 0, 100_000, "or finalized")',
    why: "0 confirmations are final",
  },
]);

const asks = [
  ...inFile("src/service/swaps/api/create-ask.ts", [
    {
      rule: "S-32",
      find: "greater(parts.limits.askMinUsdc, escrow.minUsdc)",
      replace: "parts.limits.askMinUsdc",
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
      find: 'return parts.verifySchnorr(key, hash, signature) ? "valid" : "invalid";',
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
      rule: "S-34",
      find: "ledger.lockOutput(outpoint) !== null)",
      replace: "false)",
      why: "lock outputs count as a seller's balance",
    },
    {
      rule: "S-32",
      find: 'if (signed.kind === "unavailable") return refusal("EVM_RPC_UNAVAILABLE");',
      replace: "",
      why: "an account that cannot be read has a wrong signature",
    },
    {
      rule: "S-32",
      find: "parts.locks.run(`seller:${terms.value.seller}`, () =>",
      replace: "parts.locks.run(`${Math.random()}`, () =>",
      why: "two asks at once overtake each other's balance",
    },
  ]),
  ...inFile("src/service/swaps/api/ask-action.ts", [
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
      find: "if (last?.action === action && last.deadline === deadline) return shown(parts, ask, action);",
      replace: "",
      why: "the same POST twice is refused",
    },
    {
      rule: "H-42",
      find: 'if (status === "ASK_TAKEN" || status === "ASK_CANCELLED") return refusal(status);',
      replace: "",
      why: "a cancelled ask is resumed",
    },
    {
      rule: "S-34",
      find: 'if (action === "resume") await recheckGroup(parts, ask);',
      replace: "",
      why: "a resumed ask is open on an old balance",
    },
    {
      rule: "S-33",
      find: 'action === "cancel" ? { ...row, binding_on_chain: false } : { ...row }',
      replace: "{ ...row }",
      why: "a cancel does not say that it binds the API alone",
    },
    {
      rule: "H-42",
      find: 'ask.cancelledBySignature || action === "cancel"',
      replace: "ask.cancelledBySignature",
      why: "a cancel does nothing",
    },
  ]),
  ...inFile("src/service/swaps/api/ask-recheck.ts", [
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
    {
      rule: "S-31",
      find: 'if (verdict.kind !== "unavailable") signatures',
      replace: "signatures",
      why: "an account that cannot be read voids its signatures",
    },
    {
      rule: "S-31",
      find: "signatureValid: signatureValid ?? ask.signatureValid",
      replace: "signatureValid: ask.signatureValid",
      why: "contract signatures are not looked at again",
    },
    {
      rule: "S-34",
      find: "balanceCheckedAt: balance === null ? ask.balanceCheckedAt : now",
      replace: "balanceCheckedAt: now",
      why: "a failed look counts as a check",
    },
  ]),
  ...inFile("src/service/swaps/api/ask-view.ts", [
    {
      rule: "S-34",
      find: "return isAccepted && !subject.outputs.some((output) => output.mined !== null);",
      replace: "return isAccepted;",
      why: "a taken ask keeps its PEARL busy after the lock",
    },
    {
      rule: "S-34",
      find: "subject.order.accepted !== null && subject.order.closed === null",
      replace: "subject.order.accepted !== null",
      why: "a refunded order keeps its PEARL busy",
    },
  ]),
  ...inFile("src/service/swaps/api/signature-judge.ts", [
    {
      rule: "S-31",
      find: "if (normal === null || this.#recover(digest, normal) !== account) return INVALID;",
      replace: "if (normal === null) return INVALID;",
      why: "anybody signs for anybody",
    },
    {
      rule: "S-31",
      find: 'return isValid ? { kind: "valid", kept, byContract: true } : INVALID;',
      replace: 'return { kind: "valid", kept, byContract: true };',
      why: "a contract's refusal does not count",
    },
    {
      rule: "S-31",
      find: "if (!(await this.#accounts.hasCode(account))) return",
      replace: "if (true) return",
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
      find: 'return { kind: "unavailable" };',
      replace: "return INVALID;",
      why: "an account that cannot be read has a wrong signature",
    },
  ]),
];

const takes = inFile("src/service/swaps/api/take-ask.ts", [
  {
    rule: "S-42",
    find: "expiresAt: now + parts.limits.takeTtlS",
    replace: "expiresAt: now + 2 * parts.limits.takeTtlS",
    why: "takes live twice as long",
  },
  {
    rule: "S-40",
    find: "parts.locks.run(`deal:${plan.value.hash}`, () => settle",
    replace: "parts.locks.run(`${Math.random()}`, () => settle",
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
    find: "const signature = await recheckSignature(parts, ask);",
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
    find: "evmHeadTime: parts.evmStanding().headTime",
    replace: "evmHeadTime: moment.now",
    why: "T_e is bounded by our clock, not by the chain's",
  },
  {
    rule: "S-40",
    find: 'unready: signature ?? unreadyOf(parts, "deals")',
    replace: "unready: signature",
    why: "takes begin though the index is behind",
  },
  {
    rule: "S-40",
    find: "if (isIndexed(parts, hash) || isLiveTake(parts, hash, before)) {",
    replace: "if (isIndexed(parts, hash)) {",
    why: "the same POST twice is judged anew",
  },
  {
    rule: "S-42",
    find: "return take !== null && !isDead(moment, take.expiresAt);",
    replace: "return take !== null;",
    why: "a dead take is answered as a live one",
  },
]);

const deals = [
  ...inFile("src/service/swaps/api/accept-lock.ts", [
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
      find: "parts.hints.add(subject.hash, txid, vout, parts.readiness.now());",
      replace: "",
      why: "hints are not kept",
    },
    {
      rule: "S-53",
      find: "if (block !== null) parts.readBlockSoon(block.height);",
      replace: "",
      why: "the block of an older lock is not read",
    },
    {
      rule: "S-60",
      find: "dealRow(subject, moment, rules) ?? bidRow(subject, moment, rules)",
      replace: "dealRow(subject, moment, rules)",
      why: "accept-lock of a bid has no answer",
    },
  ]),
  ...inFile("src/service/swaps/api/lock-hints.ts", [
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
  ...inFile("src/service/swaps/api/lookups.ts", [
    {
      rule: "S-62",
      find: "const MAX_IN_FLIGHT = 4;",
      replace: "const MAX_IN_FLIGHT = 400;",
      why: "strangers ask our node as much as they like",
    },
    {
      rule: "S-62",
      find: "now - last.atMs < REUSE_MS) {",
      replace: "now - last.atMs < 0) {",
      why: "an answer is not reused",
    },
    {
      rule: "S-62",
      find: 'return last.txid === txid ? last.answer : { kind: "unavailable" };',
      replace: "return last.answer;",
      why: "the answer for another transaction is reused",
    },
    {
      rule: "S-62",
      find: 'catch {\n      return { kind: "unavailable" };',
      replace: 'catch {\n      return { kind: "absent" };',
      why: "a node that is down has no such transaction",
    },
    { rule: "S-62", find: "this.#inFlight -= 1;", replace: "", why: "after four look-ups there are no more" },
  ]),
  ...inFile("src/service/swaps/api/verifications.ts", [
    {
      rule: "S-62",
      find: 'const unready = parts.readiness.check("deals");\n  if (unready !== null) return noVerdict(parts, subject, unready);\n  return judgeLock',
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
      find: 'const unready = parts.readiness.check("evm");',
      replace: 'const unready = parts.readiness.check("deals");',
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
      find: 'if (looked.kind === "unavailable") return noVerdict(parts, present, NODE_UNAVAILABLE);\n  const unready = readiness',
      replace:
        'if (looked.kind === "unavailable") return shown(hash, verifyLock(present, readiness.moment(), rules, choice, null));\n  const unready = readiness',
      why: "a node that is down gives the verdict LOCK_TX_NOT_FOUND",
    },
  ]),
  ...inFile("src/service/swaps/api/bid-origin.ts", [
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
  ...inFile("src/service/swaps/api/swap-api.ts", [
    {
      rule: "S-65",
      find: "settled.time <= after",
      replace: "settled.time < after",
      why: "the last day has one second more",
    },
    {
      rule: "S-65",
      find: "moment.tips.evm.time - DAY_S",
      replace: "moment.now - DAY_S",
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
      find: "ledger.knowsHashlock(hashlock) && ledger.secretOf(hashlock) === null",
      replace: "ledger.knowsHashlock(hashlock)",
      why: "a public secret is refused",
    },
    {
      rule: "S-66",
      find: "return carriesSecret(text, isGuarded, crypto.sha256, (value) => this.#isShown(value));",
      replace: "return false;",
      why: "secrets are let in",
    },
  ]),
  ...inFile("src/service/swaps/api/keyed-lock.ts", [
    {
      rule: "S-40",
      find: "const mine = before.then(job, job);",
      replace: "const mine = job();",
      why: "jobs of one key overtake each other",
    },
  ]),
];

const lists = [
  ...inFile("src/service/swaps/api/lists.ts", [
    {
      rule: "S-52",
      find: "(query.includeAskMatches || !order.isAskMatch) &&",
      replace: "",
      why: "the list of bids shows orders of asks",
    },
    {
      rule: "H-40",
      find: "if (!query.includeUnfunded && !isShownAsFunded(record, status)) continue;",
      replace: "",
      why: "unfunded asks are listed",
    },
    {
      rule: "H-40",
      find: "if (left !== right) return left < right ? -1 : 1;",
      replace: "if (left !== right) return Number(left) < Number(right) ? -1 : 0;",
      why: "prices are ordered by floating point",
    },
    {
      rule: "H-40",
      find: "if (sellerEvm !== null && parties.sellerEvm !== sellerEvm) return false;",
      replace: "",
      why: "the filter seller_evm does nothing",
    },
    {
      rule: "H-40",
      find: "if (buyerEvm !== null && parties.buyerEvm !== buyerEvm) return false;",
      replace: "",
      why: "the filter buyer_evm does nothing",
    },
    {
      rule: "H-40",
      find: "return parties.pearlKeys.some((key) => this.#parts.programs.fits(key, pearlAddress));",
      replace: "return false;",
      why: "keys do not find their address",
    },
    { rule: "H-43", find: ".slice(0, MAX_OF_ADDRESS)", replace: "", why: "more than 100 rows of an address" },
    {
      rule: "H-40",
      find: "compare(key, start.key) < 0).toReversed()",
      replace: "compare(key, start.key) < 0)",
      why: "the previous page of asks is the first one",
    },
  ]),
  ...inFile("src/service/swaps/api/page-of.ts", [
    {
      rule: "H-06",
      find: "if (isBack) found.reverse();",
      replace: "",
      why: "a previous page is upside down",
    },
    {
      rule: "H-06",
      find: "const isPrev = isBack ? hasMore : start !== null;",
      replace: "const isPrev = isBack ? hasMore : true;",
      why: "the first page has a previous one",
    },
    {
      rule: "H-06",
      find: "next: isNext ? last.key : null",
      replace: "next: isNext ? first.key : null",
      why: "the next page begins behind the first row",
    },
  ]),
  ...inFile("src/service/swaps/api/order-index.ts", [
    {
      rule: "S-55",
      find: "if (timeA !== timeB) return timeA > timeB ? -1 : 1;\n  return hashA",
      replace: "return hashA",
      why: "orders are listed by hash",
    },
    {
      rule: "S-52",
      find: "bid: bidStatus(order, moment.tips)",
      replace: 'bid: "BID_CREATED"',
      why: "the filter status finds no bids",
    },
    {
      rule: "S-65",
      find: "if (before !== undefined) this.#count(before, -1);",
      replace: "",
      why: "counts by status only grow",
    },
    {
      rule: "S-55",
      find: "if (key !== null && first !== undefined && compareKeys(keyOf(first), key) === 0) at += 1;",
      replace: "",
      why: "the row of the cursor stands on both pages",
    },
  ]),
  ...inFile("src/service/swaps/api/key-programs.ts", [
    {
      rule: "S-14",
      find: "if (key === ZERO_BYTES32) return false;",
      replace: "",
      why: "an open bid's zero key is looked at",
      equivalent: "the zero key is no point and fits no address",
    },
    {
      rule: "S-14",
      find: "return keyFitsAddress(key, address, this.#crypto);",
      replace: "return true;",
      why: "48 equal bits are enough",
      equivalent: "nobody finds two keys with equal 48 bits in a test",
    },
  ]),
  ...inFile("src/service/swaps/api/signing-terms.ts", [
    {
      rule: "H-44",
      find: "limits.askMinUsdc > escrow.minUsdc ?",
      replace: "limits.askMinUsdc < escrow.minUsdc ?",
      why: "the smaller minimum is told",
    },
  ]),
  ...inFile("src/service/swaps/api/read-fields.ts", [
    {
      rule: "H-46",
      find: "Object.hasOwn(body, name) ? body[name] : undefined",
      replace: "body[name]",
      why: "members that every object inherits are fields",
      equivalent: "no field has such a name",
    },
    {
      rule: "S-06",
      find: "if (isAbsent(given)) {",
      replace: "if (given === undefined) {",
      why: "null is no absent value",
    },
  ]),
];

const http = [
  ...inFile("src/http/routes/swaps/swap-route.ts", [
    {
      rule: "S-66",
      find: "if (Buffer.isBuffer(request.body) && bodyHoldsSecret(service, request.body)) {",
      replace: "if (false) {",
      why: "a body with a secret is let in",
    },
    {
      rule: "S-66",
      find: '|| (target.includes("%") && service.holdsSecret(percentDecoded(target)))',
      replace: "",
      why: "a percent-encoded secret is let in",
    },
    {
      rule: "H-46",
      find: 'if (route.method === "POST") delete request.headers["if-none-match"];',
      replace: "",
      why: "a POST is answered by 304",
    },
    {
      rule: "S-62",
      find: "const headers = ERRORS[code].status === 503 ? retryAfter() : {};",
      replace: "const headers = {};",
      why: "a 503 lacks Retry-After",
    },
    {
      rule: "S-62",
      find: "return jsonAnswer(503, body, { ...headers, ...retryAfter() });",
      replace: "return jsonAnswer(200, body, headers);",
      why: "no verdict is answered with 200",
    },
    {
      rule: "S-40",
      find: 'result.kind === "answer" && result.created ? 201 : 200',
      replace: "200",
      why: "what is created is answered with 200",
    },
  ]),
  ...inFile("src/http/routes/swaps/swap-body.ts", [
    {
      rule: "S-66",
      find: 'if (text.includes("\\\\"))',
      replace: "if (false)",
      why: "a secret in JSON escapes is let in",
    },
    {
      rule: "H-46",
      find: "if (!isJson(contentType)) {",
      replace: "if (false) {",
      why: "any content type is read",
    },
    {
      rule: "H-46",
      find: "value === null || Array.isArray(value)",
      replace: "value === null",
      why: "an array is a body",
    },
  ]),
];

/** S-02, S-05, S-30 to S-34, S-40 to S-42, S-52, S-55, S-60 to S-66, H-40 to H-47. */
export const SWAPS_API: readonly Break[] = [
  ...readiness,
  ...settings,
  ...asks,
  ...takes,
  ...deals,
  ...lists,
  ...http,
];
