// Breaks of the PEARL watch (S-12, S-13, S-53) and of the store (S-26, S-50).

import { type Break, inFile } from "./break.ts";

const pearl = [
  ...inFile("src/swaps/pearl/pearl-matcher.ts", [
    {
      rule: "S-54",
      find: 'return path === "claim" && !isSecretShown ? "other" : path;',
      replace: "return path;",
      why: "a buyer is told to send his claim, with the secret, on the word of a node that has invented one without it",
    },
    {
      rule: "S-13",
      find: "this.#path(witness, watched, isSecretShown)",
      replace: '"claim"',
      why: "every spend is a claim",
    },

    {
      rule: "S-61",
      find: ") => ways.has(",
      replace: ") => !ways.has(",
      why: "every release pays somebody else",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-leaving.ts", [
    {
      rule: "S-54",
      find: "tip !== null && tip.hash === watch.appliedTip()",
      replace: "tip !== null",
      why: "a lock that a block has taken is called for again until the block is applied",
    },
    {
      rule: "S-51",
      find: "?? nowMs) >= this.#missingMs",
      replace: "?? nowMs) >= 0",
      why: "a lock that one of several nodes has not heard of is called for again",
    },
    {
      rule: "S-51",
      find: "watch.rewinds === this.#rewinds ?",
      replace: "watch.rewinds >= 0 ?",
      why: "a lock whose block is undone soon after it was mined is called for again",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-mempool.ts", [
    {
      rule: "H-11",
      find: "if (count > 0 && bytes > BYTES_PER_TURN) break;",
      replace: "",
      why: "some hundred large transactions in the mempool hold the process for seconds",
    },
    {
      rule: "S-53",
      find: ".filter((txid) => !known.has(txid))",
      replace: ".filter((txid) => txid === undefined)",
      why: "evictions are not noticed",
    },
    {
      rule: "S-53",
      find: "#isStale ? known.ids() : this.#spendersOf",
      replace: "#spendersOf",
      why: "the mempool is not compared with new scripts",
    },
    {
      rule: "S-54",
      find: "this.#isRead ? locks : (before",
      replace: "this.#readAt !== undefined ? locks : (before",
      why: "a lock that waits in a full mempool is called for again after each start",
    },
    {
      rule: "S-54",
      find: "if (this.#isRead && this.#areOrdersKnown)",
      replace: "if (this.#isRead)",
      why: "a lock that waits unseen for an order which a reindex has not read yet is called for again",
    },
    {
      rule: "S-51",
      find: "if (!due.has(txid)) this.#shown.set",
      replace: "if (due.size < 0) this.#shown.set",
      why: "a lock that the first look after a start does not list is called for again",
    },
    {
      rule: "S-51",
      find: "this.#readAt === this.#deps.watch.rewinds",
      replace: "this.#readAt !== null",
      why: "a lock of an undone block is nowhere from the list that was made before on",
    },
    {
      rule: "S-15",
      find: "watch.comparedSince(this.#mark);",
      replace: "null;",
      why: "a conflict in a block that came during the look is missed",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-headers.ts", [
    {
      rule: "S-05",
      find: "[times.length >> 1] ?? 0",
      replace: "[0] ?? 0",
      why: "the median time past is the lowest time",
    },
    {
      rule: "S-02",
      find: ") / PACE_BLOCKS",
      replace: ") / (PACE_BLOCKS + 1)",
      why: "the pace of blocks is wrong",
    },
  ]),
  ...inFile("src/swaps/standings.ts", [
    {
      rule: "S-09",
      find: "return own?.hash === applied.hash ? witnesses : [];",
      replace: "return witnesses;",
      why: "a reader takes what it was told of the chain before for the word of a second node on a branch",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-standing.ts", [
    {
      rule: "S-09",
      find: "Math.min(most, sharedHeightOf(one, window))",
      replace: "sharedHeightOf(one, window)",
      why: "a node that is followed no longer vouches for the branch that it made up",
    },
    {
      rule: "S-02",
      find: "isPlayNetwork(this.#network) ? TARGET_INTERVAL_S :",
      replace: "",
      why: "a simnet's pace stops swaps",
    },

    {
      rule: "S-62",
      find: "this.#connections = { count, atMs: this.#clock.monotonicMs() };",
      replace:
        "this.#connections = { count, atMs: this.#clock.monotonicMs() };\n          this.#answeredAtMs = this.#clock.monotonicMs();",
      why: "a node that tells its peers alone looks alive",
    },
  ]),
  ...inFile("src/follow/pearl-nodes.ts", [
    {
      rule: "S-09",
      find: "> AHEAD_BLOCKS);",
      replace: "> AHEAD_BLOCKS + 1);",
      why: "a node that is left behind by 3 blocks is followed on",
    },
    {
      rule: "S-09",
      find: "length >= 2) {",
      replace: "length >= 1) {",
      why: "one other node alone decides whom to follow",
    },

    {
      rule: "H-20",
      find: "return depth > FORK_BLOCKS ||",
      replace: "return depth > FORK_BLOCKS + 1 ||",
      why: "nodes two blocks apart do not disagree",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-shown.ts", [
    {
      rule: "S-61",
      find: "{ outpoint, ...spend }] });",
      replace: "{ outpoint, outputScripts: [], ...spend }] });",
      why: "a release of which it is not known what it pays is one that pays somebody else",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-tip.ts", [
    {
      rule: "S-09",
      find: "if (point?.hash !== hash) throw new UnsettledChain(height);",
      replace: "if (point === undefined) throw new UnsettledChain(height);",
      why: "locks of a long branch that one node made up stay when it is left",
    },
    {
      rule: "S-05",
      find: ": tip.height > own.height + 1;",
      replace: ": false;",
      why: "a lock is verified on blocks that the node has left for two more, until it has answered three questions",
    },
    {
      rule: "S-05",
      find: "if (!isNext) standing.forks(null);",
      replace: "standing.forks(null);",
      why: "a lock is verified on blocks that the node has left while its branch is read once more",
    },
    {
      rule: "S-05",
      find: "this.#isNextUnread = true;",
      replace: "",
      why: "a lock is verified on blocks that the node has left while its newest one cannot be read",
    },
    {
      rule: "S-05",
      find: "standing.forks({ height: own.height - 1, left: { height: tip.height, time: null }, taken: null });",
      replace: "",
      why: "a lock is verified on blocks that the node has left while its newest one is long in coming",
    },
    {
      rule: "S-05",
      find: "if (theirs === own.hash) continue;",
      replace: "if (theirs === own.hash) return;",
      why: "a lock is verified on blocks that the node leaves while its newest one is long in coming",
    },
    {
      rule: "S-05",
      find: "if (!this.#hasLeft) this.#deps.standing.forks(null);",
      replace: "this.#deps.standing.forks(null);",
      why: "a lock is verified on blocks that the node has left when the last of them has come",
    },
    {
      rule: "S-05",
      find: "standing.namesTipAt(tip.height, isOurs);",
      replace: "",
      why: "a lock is verified on blocks that the node has left while it gives no header of its tip",
    },
    {
      rule: "S-05",
      find: "return tip.height === own.height ? tip.hash !== own.hash :",
      replace: "return tip.height === own.height ? false :",
      why: "a lock is verified on blocks that the node has left for a branch as high, of whose tip it gives no header",
    },
    {
      rule: "S-54",
      find: "left: { height: tip.height, time: null }",
      replace: "left: own",
      why: "the event of a block that the node has left when it comes offers to reveal the secret",
    },
    {
      rule: "S-05",
      find: "await this.#appendNext(own, tip)",
      replace: "await (isNext ? this.#appendNext(own, tip) : this.#append(this.#window, tip, null))",
      why: "a lock is verified on blocks that the node leaves while its newest one is long in coming at the second try",
    },
    {
      rule: "S-54",
      find: "this.#deps.standing.takes(tip);",
      replace: "",
      why: "the events of a branch that ends below our tip offer less than the rows then do",
    },
    {
      rule: "S-05",
      find: "if (tip.height >= own.height) this.#deps",
      replace: "if (tip.height < 0) this.#deps",
      why: "a lock is verified on blocks that the node has left while it does not say where its branch begins",
    },
    {
      rule: "S-05",
      find: "await this.apply({",
      replace: "this.#deps.standing.forks(null);\n    await this.apply({",
      why: "a lock is verified on blocks that the node has left while its branch is stored",
    },
    {
      rule: "S-05",
      find: "window.medianTimePast()",
      replace: "tip.time",
      why: "the tip's time passes for the median",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-backscan.ts", [
    {
      rule: "S-53",
      find: "if (this.#parts.tip.isLoaded) await this.#readAgain();",
      replace: "",
      why: "an order whose old blocks cannot be had keeps all others from being read again",
    },
    {
      rule: "S-53",
      find: "return await this.#readOn(this.#covering);",
      replace: "return (await this.#readAgain()) || (await this.#readOn(this.#covering));",
      why: "a deal waits for its script while blocks are read again for somebody's hint",
    },
    {
      rule: "S-53",
      find: "this.#end(this.#again);",
      replace: "",
      why: "what blocks that are read again had shown is lost with a write that failed",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-scan-start.ts", [
    {
      rule: "S-53",
      find: "if (found > high) throw new UnsettledChain(high);",
      replace: "if (found > high) return { height: high, parent: null };",
      why: "one wrong header of an old block has the whole chain read",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-backscan.ts", [
    {
      rule: "S-53",
      find: "if (this.#joined.get(toHeight) !== hash) return false;",
      replace: "",
      why: "a pass keeps what it has read of another chain than the applied one",
    },
    {
      rule: "S-09",
      find: "    await this.#prove(applied);",
      replace: "",
      why: "a lock in an old block that one node has made up is vouched for by whoever has the newest blocks",
    },
    {
      rule: "S-53",
      find: "this.#previousHash = start.parent;",
      replace: "this.#previousHash = null;",
      why: "a node that calls old blocks older than they are has a lock overlooked for good",
    },
    {
      rule: "S-53",
      find: "isDone ? this.#goal : null",
      replace: "null",
      why: "older blocks are read for ever",
    },
  ]),
];

const storage = [
  ...inFile("src/adapters/store-sqlite/swaps/swap-writer.ts", [
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
      rule: "S-50",
      find: "chain IS NOT NULL OR ",
      replace: "",
      why: "a reindex leaves facts of blocks",
    },
    {
      rule: "H-39",
      find: " AND type <> 'reorg'",
      replace: "",
      why: "a reorganisation's own event is undone",
    },
  ]),
];

const closed = [
  ...inFile("src/swaps/pearl/pearl-tip.ts", [
    {
      rule: "A-172",
      find: "above !== undefined && !(await hasLeft(above, hashesUpToTip(node)))",
      replace: "false",
      why: "a balancer before nodes of two branches has locks undone again and again",
    },
    {
      rule: "S-55",
      find: "locks: hasReturned ? null : ",
      replace: "locks: ",
      why: "a spend of a closed deal that a reorganisation has put back into the mempool is not seen",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-backscan.ts", [
    {
      rule: "S-53",
      find: "() => block.transactions(),",
      replace: "() => [],",
      why: "an older lock of a closed deal is not found when somebody names it",
    },
    {
      rule: "S-53",
      find: "Promise.race([coming.next, time.late])",
      replace: "coming.next",
      why: "new blocks wait for an old one over which the node hangs",
    },
    {
      rule: "S-53",
      find: "this.#isHeldUp = this.#nextHeight === first;",
      replace: "",
      why: "nobody is told that an old block is not given",
    },
    {
      rule: "S-53",
      find: "first <= to && this.#nextHeight === first",
      replace: "false",
      why: "a node that has none of the wanted blocks is asked for them without a pause",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-mempool.ts", [
    {
      rule: "S-13",
      find: "if (!this.#missing.has(txid)) this.#missing.set(txid, 0);\n        throw error;",
      replace: "void txid;\n        throw error;",
      why: "transactions that came while the store was away are never compared",
    },
  ]),
] satisfies readonly Break[];

/** All of them. */
export const SWAPS_PEARL: readonly Break[] = [...pearl, ...storage, ...closed];
