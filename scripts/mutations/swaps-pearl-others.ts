// Breaks in what is read of PEARL nodes beside the followed one, and in what others put beside the spend of a lock.

import { type Break, inFile } from "./break.ts";

/** The breaks of this topic. */
export const SWAPS_PEARL_OTHERS: readonly Break[] = [
  ...inFile("src/swaps/pearl/pearl-hidden-secrets.ts", [
    {
      rule: "S-13",
      find: "if (ledger.watch.script(script)?.hashlock !== hashlock) continue;",
      replace: "",
      why: "a secret is told as shown by the claim of a script that no order has",
    },
    {
      rule: "S-13",
      find: "before?.hash === hash ? before : hiddenBlock(",
      replace: "hiddenBlock(",
      why: "a block that another node has is new at each look, and never read",
    },
    {
      rule: "S-13",
      find: "tip.height - MOST_BLOCKS + 1)",
      replace: "tip.height - 99)",
      why: "a claim is never seen that came while the one other node that shows it was silent",
    },
    {
      rule: "S-13",
      find: "if (hashes.length < HASHES_AT_ONCE) this.#unnamedDueMs = dueMs;",
      replace: "",
      why: "a node that names no older blocks is asked for them each second, and for nothing else",
    },
    {
      rule: "S-13",
      find: "block.isReadEarly = !this.#deps.areOrdersKnown();",
      replace: "",
      why: "a claim in a block that was read before its order was known is never seen",
    },
    {
      rule: "S-13",
      find: "this.#nodes.get(witness.place) ?? new OneNode()",
      replace: "new OneNode()",
      why: "a node that is silent now and then is never asked for a block, or for many at a time",
    },
    {
      rule: "S-13",
      find: "block.dueMs = clock.monotonicMs() + LATE_MS;",
      replace: "",
      why: "a claim behind a block that another node cannot give is never seen",
    },
    {
      rule: "S-13",
      find: "witness.rawBlock(hash, MOST_BYTES)",
      replace: "witness.rawBlock(hash)",
      why: "a node that lies holds the service up with a block of millions of transactions",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-watch.ts", [
    {
      rule: "S-53",
      find: "firmMs: this.#isOlderOwed ? Math.min(ms, pollMs) : ms",
      replace: "firmMs: ms",
      why: "new blocks come ten seconds late while an old one cannot be had",
    },
  ]),
  ...inFile("src/swaps/ledger/chain-book.ts", [
    {
      rule: "S-53",
      find: "if (isFull) lowest = Math.min(lowest, other);",
      replace: "",
      why: "blocks that a hint has named are not read again after a thousand other hints",
    },
  ]),
  ...inFile("src/swaps/readiness.ts", [
    {
      rule: "S-13",
      find: "return !isSilent && this.#evmBehind(",
      replace: "return this.#evmBehind(",
      why: "a hidden claim is never seen whose order was made while no EVM RPC answered",
    },
  ]),
  ...inFile("src/adapters/pearl-node/lookups-balance.ts", [
    {
      rule: "S-34",
      find: "size = Math.ceil(size / 2);",
      replace: "size = 1;",
      why: "an address with a long page of transactions is asked about one by one",
    },
    {
      rule: "S-34",
      find: "digits += hex.length;",
      replace: "",
      why: "the transactions of an address fill the memory, whoever has paid it",
    },
  ]),
  ...inFile("src/chain/watch-transaction.ts", [
    {
      rule: "S-15",
      find: "walkItems(walk, null)",
      replace: "walkItems(walk, [])",
      why: "millions of witness items beside the spend of a lock are laid out, and hold the service up",
    },
  ]),
];
