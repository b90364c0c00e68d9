// Breaks of what is kept of swaps: S-13, S-15, S-42, S-50, S-51, S-63.

import { type Break, inFile } from "./break.ts";

/** All of them. */
export const SWAPS_LEDGER: readonly Break[] = [
  ...inFile("src/swaps/ledger/lock-book.ts", [
    {
      rule: "S-15",
      find: "return fact.amountSat < DUST_SAT",
      replace: "return fact.amountSat < 0n",
      why: "dust is a lock output",
    },
    {
      rule: "S-15",
      find: "if (!this.#isSmall(script, amountSat)) return true;",
      replace: "if (!this.#isSmall(script, amountSat) || amountSat > 0n) return true;",
      why: "as many small outputs are kept as a stranger pays for",
    },
    {
      rule: "S-13",
      find: "const spend = entry.spend !== null && entry.spend.place.height > toHeight ? null : entry.spend;",
      replace: "const spend = entry.spend;",
      why: "a rewind leaves the spends of orphaned blocks",
    },
    {
      rule: "S-50",
      find: "const mined = entry.mined !== null && entry.mined.height > toHeight ? null : entry.mined;",
      replace: "const mined = entry.mined;",
      why: "a rewind leaves lock outputs mined",
    },
    {
      rule: "S-15",
      find: "if (mined === null && (!entry.isSighted || (entry.mined !== null && isFull))) {",
      replace: "if (mined === null) {",
      why: "an orphaned lock transaction is forgotten",
    },
    {
      rule: "S-15",
      find: "inMempool: entry.mined === null && present.has(txid)",
      replace: "inMempool: entry.mined === null",
      why: "an evicted output is in the mempool",
    },
    {
      rule: "S-63",
      find: "if (!isStillWatched(known, fact.place.time)) return true;",
      replace: "return true;",
      why: "spends are not kept",
    },
    { rule: "S-51", find: "hasLeft ||= was && !is;", replace: "", why: "an eviction explains nothing" },
    {
      rule: "S-51",
      find: "hasLeft ||= was !== undefined;",
      replace: "",
      why: "the eviction of a spend explains nothing",
      equivalent: "no status depends on a spend that is in the mempool only",
    },
  ]),
  ...inFile("src/swaps/ledger/order-book.ts", [
    {
      rule: "S-54",
      find: "credited: { ...credited, withdrawn: place }",
      replace: "credited: { ...credited, withdrawn: null }",
      why: "a credit that was withdrawn is owed for ever",
    },
    {
      rule: "S-54",
      find: "if (credited === null || credited.place.block > height) return null;",
      replace: "if (credited === null) return null;",
      why: "an orphaned credit stays",
    },
    {
      rule: "S-54",
      find: "if (credited.withdrawn === null || credited.withdrawn.block <= height) return credited;",
      replace: "return credited;",
      why: "an orphaned withdrawal stays",
    },
    {
      rule: "S-25",
      find: "entry === undefined || entry.facts.closed === null || entry.facts.credited !== null",
      replace: "entry === undefined || entry.facts.closed === null",
      why: "an order is credited twice",
    },
    {
      rule: "S-50",
      find: "facts.accepted !== null && facts.accepted.place.block > toHeight ? null : facts.accepted",
      replace: "facts.accepted",
      why: "an orphaned acceptance stays",
    },
    {
      rule: "S-50",
      find: "facts.closed !== null && facts.closed.place.block > toHeight ? null : facts.closed",
      replace: "facts.closed",
      why: "an orphaned claim stays",
    },
    {
      rule: "S-50",
      find: "if (facts.locked.block > toHeight) {",
      replace: "if (false) {",
      why: "an orphaned order stays",
    },
    {
      rule: "S-33",
      find: "const left = all.filter(({ block }) => block <= toHeight);",
      replace: "const left = all;",
      why: "an orphaned revocation stays",
    },
    {
      rule: "S-30",
      find: "const fees = this.#fees.value.filter(({ block }) => block <= toHeight);",
      replace: "const fees = this.#fees.value;",
      why: "an orphaned fee stays",
    },
    {
      rule: "S-40",
      find: "if (hash !== except && this",
      replace: "if (this",
      why: "an order blocks its own hashlock",
    },
    {
      rule: "S-40",
      find: "this.entries.get(hash)?.facts.terms.buyer === buyer",
      replace: "true",
      why: "a stranger's order blocks a buyer's hashlock",
    },
    {
      rule: "S-20",
      find: "if (fault !== null) throw new ImpossibleLog(event, fault);",
      replace: "",
      why: "an order that is locked twice is believed",
    },
    {
      rule: "S-20",
      find: "if (entry === undefined || fault !== null) {",
      replace: "if (entry === undefined) {",
      why: "a closed order is closed again",
    },
    {
      rule: "S-33",
      find: "if (isAskMatch(terms)) this.byAsk.set(terms.askId, orderHash);",
      replace: "",
      why: "an order does not take its ask",
    },
    {
      rule: "S-12",
      find: "const keysValid = this.#scripts.isPoint(sellerKey, change) && isBuyerValid;",
      replace: "const keysValid = isBuyerValid;",
      why: "a seller key that is no point is not told",
    },
    {
      rule: "S-50",
      find: "if (sellerKey === null) return { facts, script: null, keysValid: isBuyerValid };",
      replace: "if (sellerKey === null) return { facts, script: null, keysValid: true };",
      why: "a bid whose buyer key is no point is offered",
    },
    {
      rule: "S-15",
      find: "if (before.script !== null) this.byScript.delete(before.script, hash);",
      replace: "",
      why: "an order keeps outputs of its former key",
    },
  ]),
  ...inFile("src/swaps/ledger/secret-book.ts", [
    {
      rule: "S-13",
      find: "if (!this.fits(hashlock, secret)) {",
      replace: "if (false) {",
      why: "a secret is believed unhashed",
    },
    {
      rule: "S-13",
      find: "shownBy: [...shownBy, shower]",
      replace: "shownBy: [shower]",
      why: "only the last place that showed a secret is kept",
    },
    {
      rule: "S-13",
      find: "showerKey(one) === key) === true) return false;",
      replace: "showerKey(one) === key) === true) return true;",
      why: "a known shower counts as a change",
      equivalent: "touches rows that then do not differ",
    },
  ]),
  ...inFile("src/swaps/ledger/script-book.ts", [
    {
      rule: "S-53",
      find: "const READ_BEFORE_S = 7200;",
      replace: "const READ_BEFORE_S = 0;",
      why: "blocks shortly before an order are not read for it",
    },
    {
      rule: "S-12",
      find: "change.store(BAD_KEY, key);",
      replace: "",
      why: "a bad key is not remembered for the next start",
    },
    {
      rule: "S-53",
      find: "this.put({ ...known, covered: true }, change);",
      replace: "",
      why: "older blocks are read again for ever",
    },
    {
      rule: "S-10",
      find: "entry.pearlRefundTime === terms.pearlRefundTime",
      replace: "true",
      why: "orders that differ in T_p share a script",
    },
  ]),
  ...inFile("src/swaps/ledger/ledger-changes.ts", [
    {
      rule: "S-05",
      find: "Math.max(kept, Math.min(change.finalHeight, tip.height))",
      replace: "Math.min(change.finalHeight, tip.height)",
      why: "a finalized number that falls unmakes what was final",
    },
    {
      rule: "S-05",
      find: "Math.min(change.finalHeight, tip.height))",
      replace: "change.finalHeight)",
      why: "blocks that are not indexed are final",
    },
    {
      rule: "S-55",
      find: 'if (event.kind === "OrderLocked") this.#keepAddresses(event.orderHash);',
      replace: "",
      why: "an order loses the addresses of its take",
    },
    {
      rule: "S-13",
      find: "if (secrets.show(hashlock, event.secret, shower, this.#draft))",
      replace: "if (false)",
      why: "a claim shows no secret",
    },
    {
      rule: "S-51",
      find: "if (rewindTo !== null) this.#draft.events.push(evmReorgEvent(rewindTo, oldTip, tip));",
      replace: "",
      why: "no reorg event for the EVM chain",
    },
    {
      rule: "S-50",
      find: "if (newHeight < base)\n    throw",
      replace: "if (false)\n    throw",
      why: "a chain may go back without saying so",
    },
    {
      rule: "S-13",
      find: "this.#showSecrets(secrets, new Map());",
      replace: "",
      why: "a secret in the mempool is overlooked",
    },
    {
      rule: "S-15",
      find: "locks.sight(sighting, this.#draft, onChange);",
      replace: "",
      why: "what the mempool showed is forgotten",
    },
    {
      rule: "S-50",
      find: "for (const seller of said.sellers) this.#affected.asksOf(seller, cause);",
      replace: "",
      why: "no event for asks whose revocation was undone",
    },
  ]),
  ...inFile("src/swaps/ledger/ledger.ts", [
    {
      rule: "S-42",
      find: "if (!this.#books.orders.entries.has(hash)) live += 1;",
      replace: "live += 1;",
      why: "funded takes are counted as unfunded",
    },
    {
      rule: "S-66",
      find: "if (take !== undefined && !isDead(context, take.expiresAt)) return true;",
      replace: "",
      why: "secrets of takes are not guarded",
    },
    {
      rule: "S-66",
      find: "if (this.#books.orders.byHashlock.has(hashlock)) return true;",
      replace: "",
      why: "secrets of orders are not guarded",
    },
  ]),
  ...inFile("src/swaps/ledger/ledger-commits.ts", [
    {
      rule: "S-50",
      find: "await this.#parts.store.commit({ rewind, put, remove, checkpoints, events });",
      replace: "void this.#parts.store.commit({ rewind, put, remove, checkpoints, events });",
      why: "changes are shown before they are durable",
    },
    {
      rule: "S-26",
      find: "await store.initialise(identity);",
      replace: "",
      why: "a database of another escrow is opened",
    },
    {
      rule: "S-50",
      find: "this.#isDoubtful = true;\n      // Where the store cannot be read either, the next change tries it again before anything else.\n      await this.#readAgain()",
      replace: "await Promise.resolve()",
      why: "a commit that happened although it failed is not seen",
    },
    {
      rule: "H-39",
      find: "if (isUntold) await",
      replace: "if (isUntold && false) await",
      why: "a process that died while it told leaves a gap that nobody sees",
    },
    {
      rule: "H-39",
      find: "if (rest.length === 0) return;",
      replace: "if (rest.length >= 0) return;",
      why: "rows beyond the first 512 of a change are told to nobody",
    },
  ]),
  ...inFile("src/swaps/ledger/books.ts", [
    {
      rule: "S-50",
      find: "this.books = books.over();",
      replace: "this.books = books;",
      why: "a change is seen before it is durable, and stays where it failed",
    },
  ]),
  ...inFile("src/swaps/ledger/subjects.ts", [
    {
      rule: "S-42",
      find: "const outputs = entry === undefined || script === null ? []",
      replace: "const outputs = script === null ? []",
      why: "an unfunded take shows lock outputs",
    },
    {
      rule: "S-55",
      find: "sellerAddress(record) ?? addresses?.sellerPearlAddress",
      replace: "sellerAddress(record)",
      why: "an accept-lock's seller address is not shown",
    },
  ]),
  ...inFile("src/swaps/ledger/watched-scripts.ts", [
    {
      rule: "S-15",
      find: "const DUST_WATCH_S = 30 * 86_400;",
      replace: "const DUST_WATCH_S = 0;",
      why: "dust is watched until T_e alone",
    },
    {
      rule: "S-15",
      find: "entry.amountSat >= terms.pearlAmountSat ||",
      replace: "",
      why: "a lock is not watched for ever",
    },
    {
      rule: "S-15",
      find: "return !hasOrder;",
      replace: "return false;",
      why: "outputs of a former key are not watched for secrets",
    },
    {
      rule: "S-13",
      find: "this.#books.orders.byHashlock.has(hashlock) || this",
      replace: "this",
      why: "hashlocks of orders without script are not known",
    },
  ]),
];
