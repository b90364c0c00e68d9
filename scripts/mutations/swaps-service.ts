// Breaks of what swaps keep and follow: the ledger (S-13, S-15, S-42, S-50, S-51, S-63), the EVM follower and its RPCs
// (S-05, S-25, S-26), the PEARL watch (S-12, S-13, S-53), the store, and what an operator is warned of.

import { type Break, inFile } from "./break.ts";

const ledger = [
  ...inFile("src/service/swaps/lock-book.ts", [
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
      find: "if (spent.height <= toHeight) continue;",
      replace: "continue;",
      why: "conflicts of orphaned blocks stay",
    },
    {
      rule: "S-15",
      find: "if (mined === null && entry.inputs === null) this.#remove(outpoint, entry, change);",
      replace: "if (mined === null) this.#remove(outpoint, entry, change);",
      why: "an orphaned lock transaction is forgotten",
    },
    {
      rule: "S-15",
      find: "inMempool: entry.mined === null && present.has(txid)",
      replace: "inMempool: entry.mined === null",
      why: "an evicted output is in the mempool",
    },
    {
      rule: "S-15",
      find: "if (spent !== undefined && spent.txid !== txid) see(spent.height);",
      replace: "",
      why: "a conflict in a block is not seen",
    },
    {
      rule: "S-15",
      find: "if (mined !== null) see(mined.height);",
      replace: "",
      why: "a rival lock transaction that is mined is no conflict",
    },
    {
      rule: "S-15",
      find: "if (lowest === null || height < lowest) lowest = height;",
      replace: "lowest = height;",
      why: "not the lowest conflict counts",
    },
    {
      rule: "S-63",
      find: "if (!isStillWatched(known, fact.place.time)) return;",
      replace: "return;",
      why: "spends are not kept",
    },
    { rule: "S-51", find: "hasLeft ||= was && !is;", replace: "", why: "an eviction explains nothing" },
    {
      rule: "S-51",
      find: "hasLeft ||= was !== undefined;",
      replace: "",
      why: "the eviction of a spend explains nothing",
    },
  ]),
  ...inFile("src/service/swaps/order-book.ts", [
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
      find: "if (this.entries.has(orderHash))",
      replace: "if (false)",
      why: "an order that is locked twice is believed",
    },
    {
      rule: "S-20",
      find: "entry === undefined || entry.facts.closed !== null",
      replace: "entry === undefined",
      why: "a closed order is closed again",
    },
    {
      rule: "S-33",
      find: "if (isAskMatch(terms)) change.set(this.byAsk, terms.askId, orderHash);",
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
      find: "if (before.script !== null) change.unlink(this.byScript, before.script, hash);",
      replace: "",
      why: "an order keeps outputs of its former key",
    },
  ]),
  ...inFile("src/service/swaps/secret-book.ts", [
    {
      rule: "S-13",
      find: "if (toBytes32(this.#sha256(fromBytes32(secret))) !== hashlock) {",
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
  ...inFile("src/service/swaps/script-book.ts", [
    {
      rule: "S-53",
      find: "const READ_BEFORE_S = 7200;",
      replace: "const READ_BEFORE_S = 0;",
      why: "blocks shortly before an order are not read for it",
    },
    {
      rule: "S-12",
      find: "change.include(this.#badKeys, key);",
      replace: "",
      why: "a bad key is not remembered for the next start",
    },
    {
      rule: "S-53",
      find: "if (known !== undefined && !known.covered) this.put({ ...known, covered: true }, change);",
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
  ...inFile("src/service/swaps/record-book.ts", [
    {
      rule: "S-42",
      find: "const KEPT_S = 7 * 86_400;",
      replace: "const KEPT_S = 6 * 86_400;",
      why: "dead takes go a day early",
    },
    {
      rule: "S-42",
      find: "outdated.length >= excess && take.expiresAt + KEPT_S > now",
      replace: "take.expiresAt + KEPT_S > now",
      why: "TAKE_MAX does nothing",
    },
    {
      rule: "S-55",
      find: "known?.buyerPearlAddress ?? given.buyerPearlAddress",
      replace: "given.buyerPearlAddress ?? known?.buyerPearlAddress ?? null",
      why: "a known buyer address is replaced",
    },
    {
      rule: "S-55",
      find: "known?.sellerPearlAddress ?? given.sellerPearlAddress",
      replace: "given.sellerPearlAddress ?? known?.sellerPearlAddress ?? null",
      why: "a known seller address is replaced",
    },
    {
      rule: "S-42",
      find: "this.takes.delete(take.dealHash);\n      this",
      replace: "this",
      why: "a renewed take keeps its old place among the oldest",
    },
  ]),
  ...inFile("src/service/swaps/ledger-changes.ts", [
    {
      rule: "S-05",
      find: "Math.max(old.finalHeight, Math.min(change.finalHeight, tip.height))",
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
      find: 'if (event.kind === "OrderLocked") this.#keepAddresses(draft, event.orderHash);',
      replace: "",
      why: "an order loses the addresses of its take",
    },
    {
      rule: "S-13",
      find: "if (secrets.show(hashlock, event.secret, shower, draft)) touching",
      replace: "if (false) touching",
      why: "a claim shows no secret",
    },
    {
      rule: "S-51",
      find: "events: rewindTo === null ? [] : [evmReorgEvent(rewindTo, oldTip, tip)],",
      replace: "events: [],",
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
      find: "this.#showSecrets(draft, secrets, new Map());",
      replace: "",
      why: "a secret in the mempool is overlooked",
    },
    {
      rule: "S-15",
      find: "for (const sighting of sightings) this.#state.books.locks.sight(sighting, draft, onChange);",
      replace: "",
      why: "what the mempool showed is forgotten",
    },
    {
      rule: "S-50",
      find: "for (const seller of said.sellers) touching.asksOf(seller, cause);",
      replace: "",
      why: "no event for asks whose revocation was undone",
    },
    {
      rule: "S-05",
      find: "for (const ask of records.asks.values()) if (dies(ask.terms.expiry)) touching.ask(ask.askId, null);",
      replace: "",
      why: "no event for asks that expire",
    },
  ]),
  ...inFile("src/service/swaps/ledger.ts", [
    {
      rule: "S-50",
      find: "await this.#parts.store.commit({ rewind, put, remove, checkpoints, events });",
      replace: "void this.#parts.store.commit({ rewind, put, remove, checkpoints, events });",
      why: "changes are shown before they are durable",
    },
    {
      rule: "S-42",
      find: "take.expiresAt > now && !this.#books.orders.entries.has(hash)",
      replace: "!this.#books.orders.entries.has(hash)",
      why: "dead takes are counted as live ones",
    },
    {
      rule: "S-42",
      find: "take.expiresAt > now && !this.#books.orders.entries.has(hash)",
      replace: "take.expiresAt > now",
      why: "funded takes are counted as unfunded",
    },
    {
      rule: "S-66",
      find: "if (take !== undefined && !isDead(moment, take.expiresAt)) return true;",
      replace: "",
      why: "secrets of takes are not guarded",
    },
    {
      rule: "S-66",
      find: "if (this.#books.orders.byHashlock.has(hashlock)) return true;",
      replace: "",
      why: "secrets of orders are not guarded",
    },
    {
      rule: "S-26",
      find: "await store.initialise(identity);",
      replace: "",
      why: "a database of another escrow is opened",
    },
    {
      rule: "S-50",
      find: "if (isMade) draft.takeBack();",
      replace: "",
      why: "a change that failed stays in memory",
    },
  ]),
  ...inFile("src/service/swaps/subjects.ts", [
    {
      rule: "S-42",
      find: "outputs: entry === undefined || script === null ? []",
      replace: "outputs: script === null ? []",
      why: "an unfunded take shows lock outputs",
    },
    {
      rule: "S-55",
      find: "addresses?.sellerPearlAddress ?? sellerAddress(record)",
      replace: "sellerAddress(record)",
      why: "an accept-lock's seller address is not shown",
    },
  ]),
  ...inFile("src/service/swaps/watch.ts", [
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
      equivalent: "an order without script has no lock output that a secret could be seen at",
    },
  ]),
  ...inFile("src/service/swaps/change-events.ts", [
    {
      rule: "S-51",
      find: "if (frame.explained) return;",
      replace: "return;",
      why: "no alarm for an illegal edge",
    },
    { rule: "S-51", find: "if (frame.explained) return;", replace: "", why: "a reorganisation is an alarm" },
    {
      rule: "S-54",
      find: "const able = { ...moment, mayAct: true };",
      replace: "const able = moment;",
      why: "lag sends events",
    },
    {
      rule: "H-39",
      find: '"confirmations", "balance_checked_at"',
      replace: '"balance_checked_at"',
      why: "every block sends events for every deal",
    },
    {
      rule: "S-51",
      find: "if (was !== undefined) this.#checkEdge(hash, was, now, frame);",
      replace: "",
      why: "edges are not checked",
    },
  ]),
  ...inFile("src/service/swaps/touching.ts", [
    {
      rule: "H-39",
      find: "for (const take of this.#books.records.takesByHashlock.of(terms.hashlock)) this.#draft.touch(take, cause);",
      replace: "",
      why: "takes of a used hashlock change without an event",
    },
    {
      rule: "H-39",
      find: "for (const id of this.#books.records.asks.keys()) this.ask(id, cause);",
      replace: "",
      why: "a new fee pauses asks without an event",
    },
    {
      rule: "H-39",
      find: "for (const order of this.#books.orders.byHashlock.of(hashlock)) this.#draft.touch(order, cause);",
      replace: "",
      why: "a public secret changes rows without an event",
    },
  ]),
];

const evm = [
  ...inFile("src/service/swaps/evm-cross-check.ts", [
    {
      rule: "S-26",
      find: "if (log.address !== escrow) return",
      replace: "if (false) return",
      why: "logs of other contracts count",
    },
    {
      rule: "S-05",
      find: "if (log.block < from || log.block > to) return",
      replace: "if (false) return",
      why: "logs outside the range count",
    },
    {
      rule: "S-05",
      find: "if (log.removed) return",
      replace: "if (false) return",
      why: "removed logs count",
    },
    {
      rule: "S-05",
      find: "if (log.logIndex <= before.logIndex)",
      replace: "if (false)",
      why: "a log may come twice",
    },
    {
      rule: "S-05",
      find: "if (block.hash !== log.blockHash || block.number !== log.block)",
      replace: "if (false)",
      why: "a log of another block counts",
    },
    {
      rule: "S-05",
      find: "if (block.transactions[log.txIndex] !== log.txHash)",
      replace: "if (false)",
      why: "a log of a transaction that its block does not have counts",
    },
    {
      rule: "S-05",
      find: "if (block.parentHash === parent.hash) continue;",
      replace: "continue;",
      why: "blocks of two branches are taken for one chain",
    },
    {
      rule: "S-05",
      find: "if (block.time < parent.time)",
      replace: "if (false)",
      why: "block times may fall",
    },
  ]),
  ...inFile("src/service/swaps/evm-read-range.ts", [
    {
      rule: "S-05",
      find: 'first.parentHash !== before.hash) return { kind: "forked" };\n    if',
      replace: 'false) return { kind: "forked" };\n    if',
      why: "a range that does not follow our tip is appended",
    },
    {
      rule: "S-05",
      find: "if (own.length > 0) throw",
      replace: "if (false) throw",
      why: "logs that an RPC does not know yet are left out for ever",
    },
    {
      rule: "S-05",
      find: "if (asksBefore && now[0]?.hash !== before.hash) return false;",
      replace: "",
      why: "a chain replaced during a wide range is not noticed",
    },
    {
      rule: "S-05",
      find: "if (now.at(-1)?.hash !== end.hash)",
      replace: "if (false)",
      why: "an end replaced while it was read is kept",
    },
    {
      rule: "S-05",
      find: "if (foreign !== undefined)",
      replace: "if (false)",
      why: "a log of a block that is none of the range counts",
      equivalent: "the block's number is compared with the log's, and its parent with its neighbours",
    },
    {
      rule: "S-05",
      find: "if (!sizer.refused(to - from + 1)) {",
      replace: "if (sizer.refused(to - from + 1)) {",
      why: "a range that is refused is not split",
    },
  ]),
  ...inFile("src/service/swaps/evm-range.ts", [
    {
      rule: "S-05",
      find: "this.#ceiling = Math.max(1, Math.floor(blocks / 2));",
      replace: "this.#ceiling = blocks;",
      why: "a refused size is tried again for ever",
    },
    {
      rule: "S-05",
      find: "this.#size = Math.min(this.#ceiling, this.#size * 2);",
      replace: "this.#size = this.#size * 2;",
      why: "ranges grow without bound",
    },
  ]),
  ...inFile("src/service/swaps/evm-finality.ts", [
    {
      rule: "S-05",
      find: "if (rewindTo >= finalHeight) return false;",
      replace: "return false;",
      why: "a replaced final block is no alarm",
    },
    {
      rule: "S-05",
      find: "if (other === source || witness === undefined || !(await hasBlock(other, witness))) continue;",
      replace: "continue;",
      why: "an RPC that denies a final block is followed though another still has it",
    },
    {
      rule: "S-05",
      find: "return block?.hash === checkpoint.hash;",
      replace: "return block !== undefined;",
      why: "any block at the height is a witness",
    },
  ]),
  ...inFile("src/service/swaps/evm-standing.ts", [
    {
      rule: "S-05",
      find: "fresh.filter(({ agrees }) => agrees === true).length >= 2 &&",
      replace: "",
      why: "one RPC of two is enough",
    },
    {
      rule: "S-05",
      find: "fresh.every(({ agrees }) => agrees !== false)",
      replace: "true",
      why: "an RPC that contradicts two others is overlooked",
    },
    {
      rule: "S-05",
      find: "otherView.agrees = own.hash === theirs.hash;",
      replace: "otherView.agrees = true;",
      why: "hashes are not compared",
    },
    {
      rule: "S-05",
      find: "Math.min(view.heads?.final?.number ?? 0, otherView.heads?.final?.number ?? 0)",
      replace: "Math.max(view.heads?.final?.number ?? 0, otherView.heads?.final?.number ?? 0)",
      why: "RPCs are compared where one of them is not yet",
    },
    {
      rule: "S-62",
      find: "const ANSWER_COUNTS_MS = 30_000;",
      replace: "const ANSWER_COUNTS_MS = 3_000_000;",
      why: "a silent RPC counts for an hour",
    },
    {
      rule: "S-26",
      find: 'error.code === "WRONG_CHAIN") view.answeredAtMs = null;',
      replace: 'error.code === "WRONG_CHAIN") view.trouble = sentence;',
      why: "an RPC of another chain counts by what it said before",
    },
    {
      rule: "S-05",
      find: "this.#finalReplaced = true;",
      replace: "",
      why: "after a replaced final block actions go on",
    },
  ]),
  ...inFile("src/service/swaps/evm-fork.ts", [
    {
      rule: "S-05",
      find: "checkpoints.filter(({ height }) => height <= below)",
      replace: "checkpoints.filter(({ height }) => height < below)",
      why: "the newest shared block is overlooked",
    },
    {
      rule: "S-05",
      find: "part.findIndex(({ hash }, i) => blocks[i]?.hash === hash)",
      replace: "part.findIndex((_, i) => blocks[i] !== undefined)",
      why: "a replaced block counts as shared",
    },
  ]),
  ...inFile("src/service/swaps/evm-follower.ts", [
    {
      rule: "S-05",
      find: "this.#finalHeight = Math.max(this.#finalHeight, final?.number ?? -1);",
      replace: "this.#finalHeight = final?.number ?? -1;",
      why: "a finalized number that falls is passed on",
      equivalent: "the ledger keeps the greatest",
    },
    {
      rule: "S-05",
      find: "if (this.#standing.isBehind(this.#active, this.#options.laggardS)) this.#useNext();",
      replace: "",
      why: "an RPC that stays behind is followed for ever",
    },
    {
      rule: "S-05",
      find: "if (finality.finalHeight > before) {",
      replace: "if (false) {",
      why: "finality does not rise without a new block",
    },
    {
      rule: "S-05",
      find: "if (await replacesFinal(this.#parts, source, rewindTo)) this.#standing.finalWasReplaced();",
      replace: "",
      why: "a replaced final block stops nothing",
    },
    {
      rule: "S-05",
      find: "return nowMs - this.#shrunk.sinceMs >= this.#options.shrunkMs;",
      replace: "return true;",
      why: "an RPC that is behind undoes our blocks at once",
    },
    {
      rule: "S-05",
      find: 'below.height < this.#finalHeight) return "idle";',
      replace: 'false) return "idle";',
      why: "a shrunk chain undoes final blocks",
    },
  ]),
  ...inFile("src/adapters/evm-rpc/escrow-events.ts", [
    {
      rule: "S-25",
      find: "if (terms.buyer !== address(args.buyer) || terms.seller !== address(args.seller)) {",
      replace: "if (false) {",
      why: "topics that differ from the terms are believed",
    },
    {
      rule: "S-25",
      find: "topics.length === shape.topics && log.data.length === shape.dataLength",
      replace: "true",
      why: "a log with more data than its event is read",
    },
    {
      rule: "S-25",
      find: "nonceBelow: args.nonceBelow };",
      replace: "nonceBelow: args.nonceBelow + 1n };",
      why: "one nonce too many is revoked",
    },
    {
      rule: "S-25",
      find: "evmRefundTime: seconds(raw.evmRefundTime)",
      replace: "evmRefundTime: seconds(raw.pearlRefundTime)",
      why: "T_e of an order is its T_p",
    },
    {
      rule: "S-25",
      find: "sellerPearlKey: bytes32(args.sellerPearlKey)",
      replace: "sellerPearlKey: bytes32(args.orderHash)",
      why: "an acceptance has another seller key",
    },
  ]),
  ...inFile("src/adapters/evm-rpc/escrow-inspection.ts", [
    {
      rule: "S-26",
      find: "BigInt(`0x${decimals}`) !== 6n",
      replace: "false",
      why: "a token of 18 decimals is accepted",
    },
    {
      rule: "S-26",
      find: 'if ((await codeAt(rpc, escrow)) === "0x") {',
      replace: "if (false) {",
      why: "an address without code is told as another contract",
    },
    {
      rule: "S-26",
      find: "usdc === null || minUsdc === null || minUsdc === 0n",
      replace: "usdc === null || minUsdc === null",
      why: "a minimum of 0 is accepted",
    },
  ]),
];

const pearl = [
  ...inFile("src/service/swaps/pearl-matcher.ts", [
    {
      rule: "S-53",
      find: "if (watched === null) continue;",
      replace: "continue;",
      why: "lock outputs are not found",
    },
    {
      rule: "S-53",
      find: "this.#watch.lockOutput(outpoint) ?? this.#found.get(outpoint) ?? null",
      replace: "this.#watch.lockOutput(outpoint)",
      why: "a spend in the block of its lock is overlooked",
    },
    {
      rule: "S-15",
      find: "if (this.#watch.isSightedInput(outpoint)) sightedInputs.push(outpoint);",
      replace: "",
      why: "conflicts of lock transactions are not seen",
    },
    {
      rule: "S-13",
      find: "hashlock === own || this.#watch.isHashlock(hashlock)",
      replace: "this.#watch.isHashlock(hashlock)",
      why: "the secret of a script without an order is overlooked",
      equivalent: "the watch knows the hashlocks of all scripts",
    },
    {
      rule: "S-13",
      find: "spends.push({ outpoint, path: this.#path(witness, script) });",
      replace: 'spends.push({ outpoint, path: "claim" });',
      why: "every spend is a claim",
    },
    {
      rule: "S-13",
      find: "this.secrets.push(...secrets);",
      replace: "",
      why: "secrets in blocks are overlooked",
    },
    {
      rule: "S-15",
      find: "this.sightings.push(...outputs);",
      replace: "",
      why: "the inputs of a mined lock are not kept for its orphaning",
    },
    {
      rule: "S-61",
      find: "this.facts.push(paid === null ? spend : { ...spend, outputScripts: paid });",
      replace: "this.facts.push({ ...spend, outputScripts: [] });",
      why: "every release pays somebody else",
    },
  ]),
  ...inFile("src/service/swaps/pearl-mempool.ts", [
    {
      rule: "S-12",
      find: "if (!read.ok || read.value.txid !== txid) {",
      replace: "if (!read.ok) {",
      why: "another transaction than was asked for is believed",
    },
    {
      rule: "S-53",
      find: "      if (present.has(txid)) continue;",
      replace: "      continue;",
      why: "evictions are not noticed",
    },
    {
      rule: "S-53",
      find: "if (this.#isStale) this.#readAgain();\n    this.#compare(changed, fresh);",
      replace: "this.#compare(changed, fresh);",
      why: "the mempool is not compared with new scripts",
      equivalent: "telling the ledger does it once more",
    },
    {
      rule: "S-13",
      find: "if (!waiting.shown.has(secret.hashlock)) this.#news.secrets.push(secret);",
      replace: "",
      why: "a secret in the mempool is overlooked",
    },
    {
      rule: "S-53",
      find: "this.#told = picture;",
      replace: "this.#told = null;",
      why: "the same picture is told at every look",
    },
    {
      rule: "S-15",
      find: "this.#parts.watch.release(this.#mark, hasSightings);",
      replace: "this.#parts.watch.release(this.#mark, false);",
      why: "a conflict in a block that came during the look is missed",
    },
  ]),
  ...inFile("src/service/swaps/pearl-backscan.ts", [
    {
      rule: "S-53",
      find: "if (this.#nextHeight <= toHeight + 1) return;",
      replace: "return;",
      why: "an older pass keeps what left the chain",
    },
    {
      rule: "S-53",
      find: "if (ours !== null && ours.hash !== block.hash) throw",
      replace: "if (false) throw",
      why: "an older pass reads blocks of another branch",
    },
  ]),
  ...inFile("src/service/swaps/pearl-fork.ts", [
    {
      rule: "S-53",
      find: "if ((await timeAt(middle)) >= time) high = middle;",
      replace: "if ((await timeAt(middle)) > time) high = middle;",
      why: "a block of exactly the time is left out",
    },
    {
      rule: "S-53",
      find: "return points[high] ?? null;",
      replace: "return points[high - 1] ?? points[high] ?? null;",
      why: "the fork is found one block too high",
    },
  ]),
  ...inFile("src/service/swaps/pearl-headers.ts", [
    {
      rule: "S-05",
      find: "[times.length >> 1] ?? 0",
      replace: "[0] ?? 0",
      why: "the median time past is the lowest time",
    },
    {
      rule: "S-02",
      find: "(last.time - base.time) / PACE_BLOCKS",
      replace: "(last.time - base.time) / (PACE_BLOCKS + 1)",
      why: "the pace of blocks is wrong",
    },
    {
      rule: "S-05",
      find: "if (previous !== null && opened.value.previousHash !== previous) throw",
      replace: "if (false) throw",
      why: "headers need not link",
    },
  ]),
  ...inFile("src/service/swaps/pearl-standing.ts", [
    {
      rule: "S-02",
      find: "BY_HAND.includes(this.#network) ? TARGET_INTERVAL_S :",
      replace: "",
      why: "a simnet's pace stops swaps",
    },
    {
      rule: "S-05",
      find: "this.#connections = count;",
      replace: "",
      why: "the node's connections are unknown",
    },
  ]),
  ...inFile("src/service/swaps/pearl-tip.ts", [
    {
      rule: "S-53",
      find: "if (block === null) {\n        if (points.length === 0) return",
      replace: "if (block === null) {\n        if (false) return",
      why: "a branch at the next block is not followed",
    },
    {
      rule: "S-05",
      find: "medianTimePast: window.medianTimePast()",
      replace: "medianTimePast: tip.time",
      why: "the tip's time passes for the median",
    },
    {
      rule: "S-53",
      find: "if (this.#parts.ledger.watch.size === 0) return this.#appendHeaders",
      replace: "if (this.#parts.ledger.watch.size >= 0) return this.#appendHeaders",
      why: "blocks are never read",
    },
  ]),
  ...inFile("src/service/swaps/pearl-watch.ts", [
    {
      rule: "S-15",
      find: "if (hasSightings && mark.height >= 0 && height > mark.height) this.readAgain(mark.height + 1);",
      replace: "",
      why: "blocks that came during a look are not compared again",
    },
    {
      rule: "S-53",
      find: "const change = scan.change(isDone ? scan.scripts : []);",
      replace: "const change = scan.change([]);",
      why: "older blocks are read for ever",
    },
    {
      rule: "S-53",
      find: "else this.#backscan?.truncate(toHeight, stays.hash);",
      replace: "",
      why: "an older pass keeps facts of orphaned blocks",
    },
  ]),
];

const storage = [
  ...inFile("src/adapters/store-sqlite/swaps/swap-writer.ts", [
    {
      rule: "S-26",
      find: "found !== null && !sameIdentity(found, identity)",
      replace: "false",
      why: "a database of another escrow is opened",
    },
    {
      rule: "S-50",
      find: '"DELETE FROM swap_fact WHERE chain = ? AND height > ?"',
      replace: '"DELETE FROM swap_fact WHERE chain = ? AND height > ? + 1"',
      why: "a rewind leaves facts of one block",
    },
    {
      rule: "S-50",
      find: '"DELETE FROM swap_checkpoint WHERE chain = ? AND height > ?"',
      replace: '"DELETE FROM swap_checkpoint WHERE chain = ? AND height > ? + 1"',
      why: "a rewind leaves a checkpoint",
    },
    {
      rule: "H-39",
      find: "storeLastEventId(this.#connection, lastEventId(this.#connection) + 1);",
      replace: "",
      why: "consumers do not learn that events are missing",
    },
    {
      rule: "S-50",
      find: "WHERE chain IS NOT NULL OR kind IN",
      replace: "WHERE kind IN",
      why: "a reindex leaves facts of blocks",
    },
  ]),
  ...inFile("src/adapters/store-sqlite/swaps/swap-identity.ts", [
    {
      rule: "S-26",
      find: "one.network === other.network &&",
      replace: "",
      why: "a database of another network is opened",
    },
    {
      rule: "S-26",
      find: "&& one.chainId === other.chainId",
      replace: "",
      why: "a database of another chain is opened",
    },
    {
      rule: "S-26",
      find: "&& one.escrow === other.escrow",
      replace: "",
      why: "a database of another escrow is opened",
    },
  ]),
  ...inFile("src/adapters/store-sqlite/swaps/swap-events.ts", [
    {
      rule: "H-39",
      find: "AND undone = 0 AND type <> 'reorg'",
      replace: "AND undone = 0",
      why: "a reorganisation's own event is undone",
    },
    {
      rule: "H-39",
      find: "return row === null || new CellReader(row).flag();",
      replace: "return row === null;",
      why: "a stream resumes behind an undone event",
    },
  ]),
];

/** S-05, S-12, S-13, S-15, S-25, S-26, S-42, S-50, S-51, S-53, S-63. */
export const SWAPS_SERVICE: readonly Break[] = [...ledger, ...evm, ...pearl, ...storage];
