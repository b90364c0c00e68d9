// Breaks of the EVM follower, its RPCs and the trust in them (S-05, S-07, S-08, S-25, S-26).

import { type Break, inFile } from "./break.ts";

/** All of them. */
export const SWAPS_EVM: readonly Break[] = [
  ...inFile("src/swaps/evm/evm-follower.ts", [
    {
      rule: "A-145",
      find: 'if (step.kind === "outdated") this.#useNext();',
      replace: 'if (step.kind === "outdated") this.#pace.beginsAnew();',
      why: "one RPC of three stops all finality by showing another branch whenever blocks are read again",
    },
    {
      rule: "S-07",
      find: "disputes = await this",
      replace: "disputes = this.#impossible.isOpen ? null : await this",
      why: "a false log that counts as final is not asked about while what follows it looks impossible",
    },
  ]),
  ...inFile("src/swaps/evm/evm-impossible-log.ts", [
    {
      rule: "S-08",
      find: "if (asked.size",
      replace: "if (by.size",
      why: "a log that was late wedges the index while one RPC does not answer",
    },
  ]),
  ...inFile("src/swaps/evm/evm-end-witnesses.ts", [
    {
      rule: "A-123",
      find: "...this.#older, ",
      replace: "",
      why: "one RPC that invents a thousand orders with their ends at each poll keeps a true end from being shown",
    },
  ]),
  ...inFile("src/swaps/evm/evm-compare-range.ts", [
    {
      rule: "S-08",
      find: "if (isBreath(i)) await clock.sleep(0);",
      replace: "",
      why: "nobody else is served for a second while a full block is read again",
    },
  ]),
  ...inFile("src/swaps/evm/evm-catch-up.ts", [
    {
      rule: "A-172",
      find: "    await checkLeft(source, checkpoints, shared, followed.heads.head.number);\n",
      replace: "",
      why: "a balancer before nodes of two branches raises an alarm that an operator has to lift",
    },
    {
      rule: "A-172",
      find: "    if (standing.isMixed(index)) throw mixed(source);\n",
      replace: "",
      why: "a balancer before nodes of two chains has all that is indexed undone, with an alarm",
    },
    {
      rule: "S-26",
      find: "const heads = await standing.ask(index);",
      replace: "const { heads } = followed;",
      why: "an RPC that is switched to another chain has all that is indexed undone, with an alarm",
    },
  ]),
  ...inFile("src/adapters/json-rpc/json-rpc-client.ts", [
    {
      rule: "S-07",
      find: "(options.wholeMs ?? Number.POSITIVE_INFINITY)",
      replace: "Number.POSITIVE_INFINITY",
      why: "a poll that is asked in ever smaller parts takes longer than the other RPCs' answers count",
    },
  ]),
  ...inFile("src/adapters/json-rpc/batch-size.ts", [
    {
      rule: "S-08",
      find: "this.#sizes.get(method) ??",
      replace: "this.#sizes.values().next().value ??",
      why: "whoever makes long receipts has blocks asked for one by one",
    },
  ]),
  ...inFile("src/adapters/json-rpc/rpc-answer.ts", [
    {
      rule: "S-07",
      find: "Buffer.from(text.slice(0, MOST_CHARACTERS)).toString()",
      replace: "text.slice(0, MOST_CHARACTERS)",
      why: "fifty long refusals that are remembered fill the memory",
    },
  ]),
  ...inFile("src/adapters/evm-rpc/escrow-events.ts", [
    {
      rule: "S-25",
      find: "4_294_967_295n",
      replace: "18_446_744_073_709_551_615n",
      why: "a time that no contract accepts is read",
    },
    {
      rule: "S-25",
      find: ".nonceBelow };",
      replace: ".nonceBelow + 1n };",
      why: "one nonce too many is revoked",
    },
    {
      rule: "S-25",
      find: ".evmRefundTime",
      replace: ".pearlRefundTime",
      why: "T_e of an order is its T_p",
    },
    {
      rule: "S-25",
      find: "args.sellerPearlKey)",
      replace: "args.orderHash)",
      why: "an acceptance has another seller key",
    },
  ]),
  ...inFile("src/adapters/evm-rpc/escrow-events.ts", [
    {
      rule: "S-25",
      find: '0".repeat(24);',
      replace: '0".repeat(23);',
      why: "four bits before an address are not looked at",
    },

    {
      rule: "S-25",
      find: "const NUMBER_BITS = 48;",
      replace: "const NUMBER_BITS = 64;",
      why: "times become numbers though the ABI types them as bigint",
    },
  ]),
  ...inFile("src/swap/evm-quorum.ts", [
    {
      rule: "S-07",
      find: "- a)[1] ?? null",
      replace: "- a)[0] ?? null",
      why: "the RPC that names the greatest final height decides",
    },
    {
      rule: "S-07",
      find: "=> count >= 2)",
      replace: "=> count >= 1)",
      why: "one RPC is enough for the final hash",
    },

    {
      rule: "S-07",
      find: 'needed) return lacks >= 2 ? "disputed" :',
      replace: "1) return",
      why: "a log that one RPC alone shows counts",
    },
  ]),
  ...inFile("src/swaps/evm/evm-rpc-quorum.ts", [
    {
      rule: "S-07",
      find: "return Math.min(final.height, this.ownFinalHeight(index));",
      replace: "return final.height;",
      why: "an honest RPC on an orphaned branch is the second beside a liar",
    },
    {
      rule: "A-110",
      find: "(one) => one.final.height <= head",
      replace: "() => false",
      why: "an RPC that is always late never has a word, and finality stands still beside one that refuses logs",
    },
  ]),
  ...inFile("src/swaps/evm/evm-rpc-view.ts", [
    {
      rule: "S-62",
      find: "const ANSWER_COUNTS_MS = 30_000;",
      replace: "const ANSWER_COUNTS_MS = 3_000_000;",
      why: "a silent RPC counts for an hour",
    },
    {
      rule: "S-26",
      find: "    this.#last = null;\n    this.#before = null;",
      replace: "    this.#trouble = sentence;",
      why: "an RPC of another chain counts by what it said before",
    },
  ]),
  ...inFile("src/swaps/evm/evm-rpc-memory.ts", [
    {
      rule: "S-08",
      find: "for (const event of before) {",
      replace: "for (const event of before.slice(0, 0)) {",
      why: "a log that was refused after an invented one is held against an honest RPC for ever",
    },
  ]),
  ...inFile("src/swaps/evm/evm-second-reading.ts", [
    {
      rule: "S-08",
      find: "const back = await this.#backForGone(compared, index, final);",
      replace: "const back = null;",
      why: "an invented log stays because what follows it looks impossible",
      equivalent:
        "it stays a round longer: where no RPC gives anything that fits behind it, all that is not final is read again, and no row or action differs in 120,000 steps of lying RPCs",
    },
    {
      rule: "S-08",
      find: "this.#timed(compared).with(index, source)",
      replace: "this.#timed(compared)",
      why: "nothing becomes final where one RPC withholds a single block whose logs the others cannot show in the time of a range",
    },
    {
      rule: "S-07",
      find: '(standing === "disputed" && isCutShort)',
      replace: "false",
      why: "one RPC makes orders wait by denying more logs than a slow one has time to show",
    },
    {
      rule: "S-08",
      find: "!shows.includes(index)",
      replace: "false",
      why: "an RPC that denies by receipt what its ranges show is read from",
    },
    {
      rule: "S-08",
      find: "      this.#patience.search(use, this.#finalSeen),\n      checkpoints,",
      replace: "      ofRpc(this.#deps.sources, use),\n      checkpoints,",
      why: "one RPC of three that says we have left the final chain, and is long in saying where, holds all finality",
    },
    {
      rule: "A-145",
      find: "Math.max(this.#look.upTo, elsewhere)",
      replace: "this.#look.upTo",
      why: "another branch is read on a block that was undone meanwhile, and what stands below it is that block's no more",
    },
    {
      rule: "S-08",
      find: "this.#deps.sources.with(use, this.#patience.search(use, this.#finalSeen))",
      replace: "this.#deps.sources",
      why: "one RPC that shows one log more, and is long in saying to where it is gone back for that, holds all finality",
    },
  ]),
  ...inFile("src/swaps/evm/evm-end-witnesses.ts", [
    {
      rule: "A-123",
      find: "const SHOWN_AT_ONCE = 40;",
      replace: "const SHOWN_AT_ONCE = 50;",
      why: "hundreds of true ends that a stranger makes keep all others from being shown",
    },
  ]),
  ...inFile("src/swaps/evm/evm-catch-up.ts", [
    {
      rule: "S-07",
      find: "const source = this.#patience.search(followed.index, ledger.tips().evm.finalHeight);",
      replace: "const source = ofRpc(this.#deps.sources, followed.index);",
      why: "one RPC of three holds all reading for hours by each block of ours that it is asked for",
    },
  ]),
  ...inFile("src/swaps/evm/evm-aside.ts", [
    {
      rule: "A-145",
      find: "await isOverWithin(waitMs, end, this.#clock);",
      replace: "await end;",
      why: "one RPC of two holds all reading for minutes by the receipts of a full block",
    },
    {
      rule: "A-145",
      find: "return this.#reading.isOutdated ?",
      replace: "return this.#reading === null ?",
      why: "blocks that have left the chain while they were read again become final, and others with them",
    },
  ]),
  ...inFile("src/swaps/evm/evm-disputes.ts", [
    {
      rule: "A-138",
      find: "this.#isAlone ? null : WAITED_MS",
      replace: "null",
      why: "one RPC that hangs over disputed logs holds all reading",
    },
    {
      rule: "A-138",
      find: "spoken[this.#isAlone ? 0 : 1] ?? count",
      replace: "count",
      why: "an RPC that takes no two questions at once is never heard about the last disputed logs",
    },
    {
      rule: "A-138",
      find: "back === null || !disputes.includes(back.event)",
      replace: "back === null",
      why: "final blocks are read again for a log that is no longer disputed",
    },
    {
      rule: "A-138",
      find: "    if (!this.#isAlone) this.#denied.add(back.event, back.lacks);\n",
      replace: "",
      why: "a log that two deny is taken in again on the word of one, where one of the two says nothing for a moment",
    },
    {
      rule: "S-07",
      find: "this.#deps.sources.map((_, index) => this.#search.search(index, finalHeight))",
      replace: "this.#deps.sources",
      why: "one RPC that denies disputed logs, and never says which of our blocks it has, holds all reading",
    },
  ]),
  ...inFile("src/swaps/evm/evm-time-limit.ts", [
    {
      rule: "S-07",
      find: "if (!(await isOverWithin(Math.max(1, leftMs()), asking, clock))) throw late();",
      replace: "await asking;",
      why: "one RPC of three holds all reading for hours by a single question about thousands of blocks",
    },
    {
      rule: "S-08",
      find: "Math.min(most, MOST_TIMES), blocks)",
      replace: "Math.min(most, MOST_TIMES))",
      why: "nothing becomes final where no RPC shows the logs of a range in its time",
    },
    {
      rule: "A-130",
      find: "count: end.transactions.length }, 1)",
      replace: "count: end.transactions.length }, 8)",
      why: "one RPC of three holds all reading for eight minutes by the transactions that it says a block has",
    },
  ]),
  ...inFile("src/swaps/evm/evm-range.ts", [
    {
      rule: "S-08",
      find: "logsByReceipts(byReceipts(end), end",
      replace: "logsByReceipts(source, end",
      why: "a stranger who fills a single block stops the index where RPCs are long in giving its receipts",
    },
  ]),
  ...inFile("src/swaps/evm/evm-lead-bound.ts", [
    {
      rule: "S-08",
      find: "return !isItsOwn && ",
      replace: "return false && ",
      why: "what one RPC has shown too much of stops the index for all of them",
    },
    {
      rule: "S-08",
      find: "this.#isOfChain = true;",
      replace: "return;",
      why: "a stranger stops the index by logs of which the chain has many",
    },
    {
      rule: "S-08",
      find: "if (this.#isOfChain) this.#end();",
      replace: "this.#end();",
      why: "a stranger stops the index by logs of which the chain has many, where they are read in several ranges",
    },
    {
      rule: "S-08",
      find: "![...by].some((one) => before.has(one))",
      replace: "true",
      why: "one RPC, which had a part in both readings, fills the memory",
    },
    {
      rule: "S-08",
      find: "this.#crowd.upTo < this.#from()",
      replace: "false",
      why: "one RPC fills the memory beside what another one has shown long ago",
    },
  ]),
  ...inFile("src/swaps/evm/evm-back-point.ts", [
    {
      rule: "S-07",
      find: ">= ledger.tips().evm.finalHeight) return shared",
      replace: ">= -1) return shared",
      why: "one RPC undoes final blocks by denying ours",
    },
    {
      rule: "S-07",
      find: "if (shared !== null || height < firstBlock) return shared;",
      replace: "if (shared !== null || height < Infinity) return shared;",
      why: "a log that was disputed for hours takes every order away with it",
    },
  ]),
  ...inFile("src/swaps/evm/evm-compare-range.ts", [
    {
      rule: "S-07",
      find: " && theirFinal === final.hash",
      replace: "",
      why: "an RPC on an orphaned branch bears out a block that becomes final",
    },
  ]),
  ...inFile("src/swaps/evm/evm-witnesses.ts", [
    {
      rule: "S-08",
      find: "block.time === place.time",
      replace: "true",
      why: "the time that one RPC gives a block stays",
    },
    {
      rule: "S-07",
      find: "event.place.block <= foreignUpTo",
      replace: "false",
      why: "an RPC that stands still on an orphaned branch is the second witness of a log that is on no chain",
    },
  ]),
];
