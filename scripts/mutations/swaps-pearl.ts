// Breaks of the PEARL watch (S-12, S-13, S-53) and of the store (S-26, S-50).

import { type Break, inFile } from "./break.ts";

const pearl = [
  ...inFile("src/swaps/pearl/pearl-matcher.ts", [
    {
      rule: "S-53",
      find: "if (watched === null) continue;",
      replace: "continue;",
      why: "lock outputs are not found",
    },
    {
      rule: "S-53",
      find: "this.#watch.lockOutput(outpoint) ?? this.#found.get(outpoint)",
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
      find: "spends.push({ outpoint, path: this.#path(witness, watched), outputScripts });",
      replace: 'spends.push({ outpoint, path: "claim", outputScripts });',
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
      find: "if (!isDust) this.sightings.push(sighting);",
      replace: "",
      why: "the inputs of a mined lock are not kept for its orphaning",
    },
    {
      rule: "S-61",
      find: ".filter((script) => ways.has(script));",
      replace: ".filter((script) => !ways.has(script));",
      why: "every release pays somebody else",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-mempool.ts", [
    {
      rule: "S-13",
      find: "this.#sought.add(markOf(txid));",
      replace: "this.#isStale = true;",
      why: "whoever pays a lock has the whole mempool fetched again",
    },
    {
      rule: "S-12",
      find: "if (!read.ok || read.value.txid !== txid) {",
      replace: "if (!read.ok) {",
      why: "another transaction than was asked for is believed",
    },
    {
      rule: "S-53",
      find: "      if (known.has(txid)) continue;\n      for (const lock",
      replace: "      if (known.has(txid) || txid !== undefined) continue;\n      for (const lock",
      why: "evictions are not noticed",
    },
    {
      rule: "S-53",
      find: "const again = this.#isStale ? known.ids() : this.#spendersOf(this.#sought);",
      replace: "const again = this.#spendersOf(this.#sought);",
      why: "the mempool is not compared with new scripts",
    },
    {
      rule: "S-13",
      find: "this.#news.secrets.push(...fresh);",
      replace: "",
      why: "a secret in the mempool is overlooked",
    },
    {
      rule: "S-53",
      find: "this.#isNew = false;",
      replace: "",
      why: "the same picture is told at every look",
    },
    {
      rule: "S-15",
      find: "this.#deps.watch.release(this.#mark, hasSightings);",
      replace: "this.#deps.watch.release(this.#mark, false);",
      why: "a conflict in a block that came during the look is missed",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-backscan.ts", [
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
  ...inFile("src/swaps/pearl/pearl-backscan.ts", [
    {
      rule: "S-53",
      find: "if ((await timeAt(middle)) >= time) high = middle;",
      replace: "if ((await timeAt(middle)) > time) high = middle;",
      why: "a block of exactly the time is left out",
      equivalent: "the start moves down to it afterwards",
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
  ...inFile("src/swaps/pearl/pearl-standing.ts", [
    {
      rule: "S-02",
      find: "isPlayNetwork(this.#network) ? TARGET_INTERVAL_S :",
      replace: "",
      why: "a simnet's pace stops swaps",
    },
    {
      rule: "S-05",
      find: "this.#connections = { count, atMs: this.#clock.monotonicMs() };",
      replace: "",
      why: "the node's connections are unknown",
    },
    {
      rule: "S-05",
      find: "this.#clock.monotonicMs() - known.atMs > CONNECTIONS_COUNT_MS",
      replace: "false",
      why: "connections of long ago count",
    },
    {
      rule: "S-09",
      find: "if (hash !== null && hash === window.at(height)?.hash)",
      replace: "if (hash !== null)",
      why: "a witness with other blocks counts",
    },
    {
      rule: "S-05",
      find: "if (tip.hash !== this.#hash) this.#changedAtMs",
      replace: "this.#changedAtMs",
      why: "a tip that stands still looks new at every answer",
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
      find: "if (!this.isIdentified) await this.node.checkIdentity();",
      replace: "",
      why: "a node of another network counts",
    },
    {
      rule: "S-09",
      find: "this.#clock.monotonicMs() - answeredAtMs <= ANSWER_COUNTS_MS;",
      replace: "true;",
      why: "a silent witness counts for ever",
    },
    {
      rule: "S-09",
      find: "const isAhead = this.#isFresh(one) && ahead > AHEAD_BLOCKS;",
      replace: "const isAhead = this.#isFresh(one) && ahead > AHEAD_BLOCKS + 1;",
      why: "a node that is left behind by 3 blocks is followed on",
    },
    {
      rule: "S-09",
      find: "} else if (ahead.length >= 2) {",
      replace: "} else if (ahead.length >= 1) {",
      why: "one other node alone decides whom to follow",
    },
    {
      rule: "S-09",
      find: "for (const end of this.#asked) end(replaced);",
      replace: "",
      why: "questions to a node that hangs are waited for when another is followed",
    },
    {
      rule: "S-09",
      find: "if (one === this.#current) this.#tell(announced);",
      replace: "this.#tell(announced);",
      why: "announcements of a node that is not followed are believed",
    },
    {
      rule: "H-20",
      find: "return depth > FORK_BLOCKS ||",
      replace: "return depth > FORK_BLOCKS + 1 ||",
      why: "nodes two blocks apart do not disagree",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-watch.ts", [
    {
      rule: "S-05",
      find: "return signal.aborted || this.#tip.isFallenBack ? false",
      replace: "return signal.aborted ? false",
      why: "older blocks are asked for without a pause of a node that fell back",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-tip.ts", [
    {
      rule: "S-09",
      find: "if (rewindTo !== null) this.#window = this.#window.upTo(rewindTo);",
      replace: "",
      why: "what a witness said of replaced blocks counts for those that replace them",
    },
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
      find: "if (this.#deps.ledger.watch.size === 0) return this.#appendHeaders",
      replace: "if (this.#deps.ledger.watch.size >= 0) return this.#appendHeaders",
      why: "blocks are never read",
    },
  ]),
  ...inFile("src/swaps/pearl/pearl-watch.ts", [
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

/** All of them. */
export const SWAPS_PEARL: readonly Break[] = [...pearl, ...storage];
