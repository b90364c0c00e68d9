// Deliberate breaks of what holds strangers off: bounds of lock outputs, conflicts of their transactions, and a mempool
// that is followed whole.

import { type Break, inFile } from "./break.ts";

/** All of them. */
export const SWAPS_STRANGERS: readonly Break[] = [
  ...inFile("src/swaps/ledger/lock-conflicts.ts", [
    {
      rule: "S-15",
      find: "if (height > toHeight) this.#spends.delete(input);",
      replace: "",
      why: "conflicts of orphaned blocks stay",
    },
    {
      rule: "S-15",
      find: "if (spent !== undefined && spent.txid !== txid) conflictHeight",
      replace: "if (spent === undefined) conflictHeight",
      why: "a conflict in a block before the sighting is not seen",
    },
    {
      rule: "S-15",
      find: "this.spend(transaction.inputs, { txid, height }, onChange);",
      replace: "",
      why: "a rival lock transaction that is mined is no conflict",
    },
    {
      rule: "S-15",
      find: "return one === null || other < one ? other : one;",
      replace: "return other;",
      why: "not the lowest conflict counts",
    },
  ]),
  ...inFile("src/swaps/ledger/first-outputs.ts", [
    {
      rule: "S-15",
      find: "if (at >= MAX_SMALL_OUTPUTS) return { isKept: false, evicted: null };",
      replace: "if (list.length >= MAX_SMALL_OUTPUTS) return { isKept: false, evicted: null };",
      why: "which outputs are the first depends on the order in which blocks are read",
    },
    {
      rule: "S-15",
      find: "if (left.length < list.length) this.#lists.set(key, left);",
      replace: "",
      why: "outputs of orphaned blocks keep their places among the first",
    },
  ]),
  ...inFile("src/follow/mempool-watch.ts", [
    {
      rule: "S-13",
      find: "if (look === this.#look) continue;",
      replace: "if (look === this.#look || this.#known.size > 0) continue;",
      why: "what has left the mempool is shown for ever",
    },
    {
      rule: "H-38",
      find: "this.#beyond.add(txid);",
      replace: "",
      why: "a cut list of unconfirmed operations is shown as the whole",
    },
    {
      rule: "H-38",
      find: "else if (this.#withheld.has(txid)) withheld.add(txid);",
      replace: "",
      why: "ids that the node does not give keep the others from being read",
    },
  ]),
];
