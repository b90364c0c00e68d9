// Breaks of the books of swaps, of what people told the service, and of the bounds for strangers (S-12 to S-15, S-34, S-42,
// S-50 to S-55, H-38).

import { type Break, inFile } from "./break.ts";

/** All of them. */
export const SWAPS_LEDGER: readonly Break[] = [
  ...inFile("src/swaps/ledger/undone-locks.ts", [
    {
      rule: "S-51",
      find: "isUnmined && ",
      replace: "",
      why: "a lock that the branch has mined again is in the mempool, too",
    },
    {
      rule: "S-51",
      find: " && conflicts.heightOf(txid) === null",
      replace: "",
      why: "a lock that the branch has made impossible waits in the mempool",
    },
    {
      rule: "S-51",
      find: "mined === null && !entry.coinbase",
      replace: "mined === null",
      why: "an orphaned coinbase output waits in the mempool",
    },
  ]),
  ...inFile("src/swaps/ledger/lock-book.ts", [
    {
      rule: "S-15",
      find: ".amountSat < DUST_SAT",
      replace: ".amountSat < 0n",
      why: "dust is a lock output",
    },
    {
      rule: "S-15",
      find: "amountSat)) return",
      replace: "amountSat) || amountSat > 0n) return",
      why: "as many small outputs are kept as a stranger pays for",
    },
    {
      rule: "S-15",
      find: "known.spend !== null && isEarlier(known.spend.mined, place)",
      replace: "false",
      why: "a false block that spends a lock again takes the true spend with it",
    },
    {
      rule: "S-15",
      find: "known !== undefined && known.mined !== null && isEarlier(known.mined, mined)",
      replace: "false",
      why: "a false block that has a lock again takes the lock with it",
    },
  ]),
  ...inFile("src/swaps/ledger/mempool-picture.ts", [
    {
      rule: "H-47",
      find: "change.store(SEEN_LOCK, txid)",
      replace: "change.forget(SEEN_LOCK, txid)",
      why: "a lock that left the mempool while the service was down is told by nobody",
    },
    {
      rule: "S-15",
      find: "change.forget(SEEN_LOCK, txid)",
      replace: "change.store(SEEN_LOCK, txid)",
      why: "after a start a lock waits in the mempool that has left it",
    },
  ]),
  ...inFile("src/swaps/ledger/change-events.ts", [
    {
      rule: "H-39",
      find: 'one === "string"), ...fitting])]',
      replace: 'one === "string")])]',
      why: "whoever watches his PEARL address never hears of his bids",
    },
  ]),
  ...inFile("src/swaps/ledger/recall.ts", [
    {
      rule: "S-15",
      find: "change.step.rewindTo - Math.max(...depths)",
      replace: "change.step.rewindTo",
      why: "a closed deal whose blocks become shallow again is not told",
    },
    {
      rule: "S-63",
      find: "    yield fact.script;\n",
      replace: "",
      why: "money that is sent late to a closed deal is not seen",
    },
    {
      rule: "S-15",
      find: "yield* inputs;",
      replace: "",
      why: "a rival of a closed deal's lock is not known to be impossible",
    },
    {
      rule: "S-50",
      find: "  yield event.terms.hashlock;\n",
      replace: "",
      why: "a seller locks PEARL for a hashlock whose secret a closed deal has shown",
    },
  ]),
  ...inFile("src/swaps/ledger/closing.ts", [
    {
      rule: "S-54",
      find: "entry.spend !== null && entry.spend.mined.height <= below",
      replace: "entry.mined.height <= below",
      why: "a deal closes while its lock is unspent",
    },
    {
      rule: "S-23",
      find: "closed === null || credited !== null",
      replace: "closed === null",
      why: "a deal closes while its payout is owed",
    },
    {
      rule: "S-07",
      find: " || trust.isDisputed(orderHash)",
      replace: "",
      why: "a deal closes while one RPC denies what it closes by",
    },
  ]),
  ...inFile("src/swaps/ledger/closing.ts", [
    {
      rule: "S-60",
      find: " && !this.#isHeld(books, bundle)",
      replace: "",
      why: "a deal leaves memory while somebody works on it, and is told not to exist",
    },
  ]),
  ...inFile("src/swaps/ledger/bundles.ts", [
    {
      rule: "H-11",
      find: "if (parts > MAX_PARTS) return null;",
      replace: "",
      why: "whoever asks for one deal makes the service read as many as a stranger has tied to it",
    },
  ]),
  ...inFile("src/adapters/store-rows/closed-cells.ts", [
    {
      rule: "S-52",
      find: "list.includeAskMatches || !isAskMatch;",
      replace: "true;",
      why: "closed orders of asks stand in the list of bids",
    },
  ]),
  ...inFile("src/adapters/store-rows/closed-answers.ts", [
    {
      rule: "H-40",
      find: "AND shown.created_at = own.created_at AND shown.hash = own.hash)",
      replace: ")",
      why: "every deal of a party is shown for an address that is busy",
    },
    {
      rule: "H-06",
      find: "const unique = new Map(found.map((one) => [one.row.hash, one]));",
      replace: "const unique = new Map(found.map((one, at) => [String(at), one]));",
      why: "a deal that shows an address and its script stands in a list twice",
    },
    {
      rule: "A-174",
      find: "page.length < list.limit ? until : null",
      replace: "null",
      why: "a page that has looked at all that it may is called the last one",
    },
  ]),
  ...inFile("src/swaps/ledger/ledger-commits.ts", [
    {
      rule: "H-47",
      find: "if (answer.state === this.#books.closed.text)",
      replace: "if (answer.state !== null)",
      why: "an answer mixes what is stored now with books of another moment",
    },
  ]),
  ...inFile("src/swap/transactions.ts", [
    {
      rule: "A-114",
      find: "if (mined !== null || inMempool) add",
      replace: "add",
      why: "a lock that was evicted or orphaned is shown as a transaction of the swap",
    },
    {
      rule: "A-114",
      find: 'closed.kind === "claimed" ? sellerProceeds(terms) : terms.usdcAmount',
      replace: "terms.usdcAmount",
      why: "a claim of USDC is said to pay the seller's fee to the seller",
    },
  ]),
  ...inFile("src/swaps/ledger/order-book.ts", [
    {
      rule: "S-54",
      find: "withdrawn: place }",
      replace: "withdrawn: null }",
      why: "a credit that was withdrawn is owed for ever",
    },
    {
      rule: "A-114",
      find: "if (!transactions.has(txHash))",
      replace: "if (!transactions.has(txHash) && false)",
      why: "an orphaned EVM transaction still leads to the order",
    },

    {
      rule: "S-50",
      find: ": isBuyerValid",
      replace: ": true",
      why: "a bid whose buyer key is no point is offered",
    },
  ]),
  ...inFile("src/swaps/ledger/preimage-book.ts", [
    {
      rule: "S-13",
      find: "shownBy: [...shownBy, shower]",
      replace: "shownBy: [shower]",
      why: "only the last place that showed a secret is kept",
    },
  ]),
  ...inFile("src/swaps/ledger/script-book.ts", [
    {
      rule: "S-53",
      find: "readFrom !== null && toHeight < readFrom - 1",
      replace: "readFrom !== null && toHeight < readFrom - 1 && false",
      why: "a lock below a branch that was shown while its script was looked for is unknown for good",
    },
    {
      rule: "S-53",
      find: "const READ_BEFORE_S = 7200;",
      replace: "const READ_BEFORE_S = 0;",
      why: "blocks shortly before an order are not read for it",
    },
  ]),
  ...inFile("src/swaps/ledger/ledger-changes.ts", [
    {
      rule: "S-15",
      find: "change.sightings.filter((sighting) => !turnedAway.has(outpointOf(sighting)))",
      replace: "change.sightings",
      why: "an output that its block has left out is remembered as one of the mempool",
    },
    {
      rule: "S-13",
      find: " || !turnedAway.has(shower.outpoint)",
      replace: " || true",
      why: "what is known of secrets depends on the steps in which the chain was read",
    },
    {
      rule: "S-05",
      find: "Math.max(kept, raised)",
      replace: "raised",
      why: "a finalized number that falls unmakes what was final",
    },
    {
      rule: "S-55",
      find: "known.buyerPearlAddress !== buyerPearlAddress",
      replace: "false",
      why: "whoever renews a dead take decides where the PEARL must go",
    },
    {
      rule: "S-55",
      find: "!take.isAddressReplaceable || !isGiven",
      replace: "true",
      why: "an order that comes again brings back the address that was replaced",
    },
  ]),
  ...inFile("src/swaps/ledger/ledger-commits.ts", [
    {
      rule: "S-26",
      find: "await store.initialise(identity);",
      replace: "",
      why: "a database of another escrow is opened",
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
  ...inFile("src/swaps/ledger/record-book.ts", [
    {
      rule: "S-42",
      find: "const KEPT_S = 7 * 86_400;",
      replace: "const KEPT_S = 6 * 86_400;",
      why: "dead takes go a day early",
    },

    {
      rule: "S-55",
      find: "(isFixed ? null : given.buyerPearlAddress)",
      replace: "given.buyerPearlAddress",
      why: "the address of a take is replaced by whoever comes later",
    },
    {
      rule: "S-55",
      find: "given.sellerPearlAddress ?? known?",
      replace: "known?.sellerPearlAddress ?? given",
      why: "the first stranger's accept-lock decides the seller's address",
    },
  ]),
  ...inFile("src/swaps/ledger/first-outputs.ts", [
    {
      rule: "S-15",
      find: "if (at >= MAX_SMALL_OUTPUTS",
      replace: "if (list.length >= MAX_SMALL_OUTPUTS",
      why: "which outputs are the first depends on the order in which blocks are read",
    },
  ]),
  ...inFile("src/follow/mempool-watch.ts", [
    {
      rule: "S-13",
      find: "this.#look) continue",
      replace: "this.#look || this.#known.size > 0) continue",
      why: "what has left the mempool is shown for ever",
    },

    {
      rule: "H-38",
      find: "else if (this.#withheld.has(txid)) withheld.add(txid);",
      replace: "",
      why: "ids that the node does not give keep the others from being read",
    },
  ]),
];
