// Breaks of whose word counts on the EVM side: S-05, S-07, S-08.

import { type Break, inFile } from "./break.ts";

/** All of them. */
export const SWAPS_EVM_TRUST: readonly Break[] = [
  ...inFile("src/swap/evm-quorum.ts", [
    {
      rule: "S-07",
      find: "return older.height < newer.height ? older : newer;",
      replace: "return newer;",
      why: "one wrong answer of a single RPC makes blocks final",
    },
    {
      rule: "S-07",
      find: "heights.toSorted((a, b) => b - a)[1] ?? null",
      replace: "heights.toSorted((a, b) => b - a)[0] ?? null",
      why: "the RPC that names the greatest final height decides",
    },
    {
      rule: "S-07",
      find: ".filter(([, count]) => count >= 2)",
      replace: ".filter(([, count]) => count >= 1)",
      why: "one RPC is enough for the final hash",
    },
    {
      rule: "S-07",
      find: "return agreed.length === 1 ?",
      replace: "return agreed.length >= 1 ?",
      why: "of two pairs that contradict each other the first decides",
    },
    {
      rule: "S-07",
      find: 'if (shows >= needed) return lacks >= 2 ? "disputed" : "shown";',
      replace: 'if (shows >= 1) return "shown";',
      why: "a log that one RPC alone shows counts",
    },
    {
      rule: "S-08",
      find: 'if (shows === 0 || lacks >= 2) return "gone";',
      replace: "",
      why: "a log that nobody shows stays",
    },
  ]),
  ...inFile("src/swaps/evm/evm-rpc-quorum.ts", [
    {
      rule: "S-62",
      find: "const ANSWER_COUNTS_MS = 30_000;",
      replace: "const ANSWER_COUNTS_MS = 3_000_000;",
      why: "a silent RPC counts for an hour",
    },
    {
      rule: "S-07",
      find: "answer.askedMs - last.askedMs >= this.#parts.pollMs",
      replace: "true",
      why: "two answers of one poll count as two",
    },
    {
      rule: "S-26",
      find: "    view.last = null;\n    view.before = null;",
      replace: "    view.trouble = sentence;",
      why: "an RPC of another chain counts by what it said before",
    },
    {
      rule: "S-07",
      find: "if (known?.number === height) return known;",
      replace: "if (known !== null) return known;",
      why: "hashes of other heights are compared",
    },
  ]),
  ...inFile("src/swaps/evm/evm-source-checks.ts", [
    {
      rule: "S-07",
      find: "if (maxAheadS === null || ahead <= maxAheadS) return;",
      replace: "return;",
      why: "a block of the far future moves the clock",
    },
    {
      rule: "S-07",
      find: "heads.final.number > heads.head.number",
      replace: "false",
      why: "a final block above the latest one counts",
    },
  ]),
  ...inFile("src/swaps/evm/evm-compare-range.ts", [
    {
      rule: "S-07",
      find: "theirs.hash !== final.hash) return null;",
      replace: "false) return null;",
      why: "an RPC without the final block reads for the second time",
    },
    {
      rule: "S-08",
      find: "if (read !== null) extra.push(read);",
      replace: "",
      why: "a log that only the second reading shows is lost",
    },
    {
      rule: "S-08",
      find: "if (showsEvent(event, log, reading)) shown.add(key);",
      replace: "shown.add(key);",
      why: "a log that says something else counts as the same",
    },
  ]),
  ...inFile("src/swaps/evm/evm-witnesses.ts", [
    {
      rule: "S-07",
      find: "receipt.blockHash !== event.place.blockHash",
      replace: "false",
      why: "a receipt of another block is a witness",
      equivalent: "the logs of a receipt name their block themselves",
    },
    {
      rule: "S-07",
      find: 'return read !== null && typeof read !== "string" && escrowEventText(read) === escrowEventText(event);',
      replace: "return true;",
      why: "any log at the place is a witness",
    },
  ]),
  ...inFile("src/swaps/evm/evm-refused-logs.ts", [
    {
      rule: "S-08",
      find: "return JSON.stringify([source, block, logIndex, before.map(escrowEventText)]);",
      replace: "return JSON.stringify([source, block, logIndex]);",
      why: "a log that was refused after an invented one is held against an honest RPC for ever",
    },
  ]),
  ...inFile("src/swaps/evm/evm-second-reading.ts", [
    {
      rule: "S-08",
      find: "const back = await this.#backForGone(compared.absent, index);",
      replace: "const back = null;",
      why: "an invented log stays because what follows it looks impossible",
    },
    {
      rule: "S-08",
      find: "filter((index) => index !== span.source)",
      replace: "filter((index) => index >= 0)",
      why: "the RPC of the first reading reads the second time, too",
    },
    {
      rule: "S-08",
      find: "return one.atMs <= this.#parts.clock.monotonicMs() - this.#options.rereadMs;",
      replace: "return true;",
      why: "a single RPC reads twice at once",
    },
    {
      rule: "S-08",
      find: "this.#isEarly(span, target)",
      replace: "false",
      why: "a log that one RPC gave late and another one withholds is lost",
    },
    {
      rule: "S-08",
      find: "this.#nextOf(lacks.filter((one) => one !== span.source)) ?? index",
      replace: "lacks[0] ?? index",
      why: "a log that is gone is read again from the RPC that invents it, for ever",
    },
    {
      rule: "S-08",
      find: "const target = Math.min(final.height, height);",
      replace: "const target = height;",
      why: "blocks above the final one become final",
    },
    {
      rule: "S-07",
      find: 'if (standing === "disputed") disputed.push(event);',
      replace: "",
      why: "an event that a second RPC denies is final",
    },
  ]),
];
