// What a second reading comes to says nothing where blocks were undone that it is about, whichever these are (S-08); and one
// that fails in ever other ways is told of fifty times.

import assert from "node:assert/strict";
import { test } from "node:test";
import { handClock, settle } from "../../../testkit/doubles/clock.ts";
import { blocksAlone } from "../../../testkit/doubles/evm-source.ts";
import { block } from "../../../testkit/doubles/forked-rpc.ts";
import { SILENT, warningLog } from "../../../testkit/doubles/log.ts";
import { MemoryEvmLedger } from "../../../testkit/doubles/memory-evm-ledger.ts";
import { evmAddress, raised } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { sha256 } from "../../adapters/system/hashes.ts";
import type { EvmSource } from "./evm-chain.ts";
import { EVM_FOLLOWER_DEFAULTS } from "./evm-options.ts";
import { RANGE_DEFAULTS, RangeSizer } from "./evm-range.ts";
import { checkpointOf, tipOf } from "./evm-read-range.ts";
import { EvmRpcQuorum } from "./evm-rpc-quorum.ts";
import { SecondReading } from "./evm-second-reading.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import type { EvmChange } from "../ledger/ports.ts";

const [FINAL, HEAD, INVENTED_HEAD] = [10, 15, 20];
const POLL_MS = 1000;

/** The index ends with this block. */
function endingWith(number: number, branch: string): EvmChange {
  const end = block(number, branch);
  return { rewind: null, events: [], checkpoints: [checkpointOf(end)], tip: tipOf(end), judged: null };
}

/** Blocks of a range. */
const RANGE = 5;
const NEVER = new Promise<never>(() => undefined);

/** A second reading by two RPCs whose chains end at the same block, far below what is indexed of a third one. */
async function reading() {
  const state = {
    ms: 1_000_000,
    lead: Promise.resolve(),
    isFailing: false,
    failures: 0,
    hangsAt: "",
    isTimeUp: false,
  };
  const warnings: string[] = [];
  const clock = {
    ...handClock(() => state.ms),
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        // Whoever answers at all has answered by then.
        if (state.isTimeUp) setImmediate(resolve);
        signal?.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
  const source = (): EvmSource => ({
    ...blocksAlone((number) => (number > HEAD ? null : block(number, "a"))),
    heads: async () => ({ head: block(HEAD, "a"), final: block(FINAL, "a") }),
    blocksAt: async (numbers) => {
      if (state.isFailing) throw new EvmUnavailable("BAD_ANSWER", `failure ${(state.failures += 1)}`);
      if (numbers.length === 2 && numbers[1] === INVENTED_HEAD) await state.lead;
      if (numbers.join() === state.hangsAt) return NEVER;
      return numbers.map((number) => (number > HEAD ? null : block(number, "a")));
    },
  });
  const sources = [source(), source()];
  const standing = new EvmRpcQuorum({ sources, clock, log: SILENT, pollMs: POLL_MS });
  for (let look = 0; look < 2; look += 1, state.ms += POLL_MS) await standing.look();
  const ledger = new MemoryEvmLedger(0);
  const second = new SecondReading(
    {
      sources,
      sizers: sources.map(() => new RangeSizer({ ...RANGE_DEFAULTS, first: RANGE })),
      reading: { escrow: evmAddress("escrow"), readLog: () => null },
      ledger,
      standing,
      crypto: { sha256 },
      clock,
      log: warningLog(warnings),
    },
    { ...EVM_FOLLOWER_DEFAULTS, firstBlock: 0, shrunkMs: 0 },
  );
  return { state, ledger, second, warnings };
}

test("A-145: a step back to a block above the final one says nothing where that block was undone meanwhile", async () => {
  const { state, ledger, second } = await reading();
  await ledger.applyEvm({ ...endingWith(FINAL - 1, "a"), judged: raised(FINAL - 1) });
  await ledger.applyEvm(endingWith(INVENTED_HEAD, "b"));
  const rewind = { toHeight: FINAL, alarm: null };
  const asked = Promise.withResolvers<void>();
  state.lead = asked.promise;
  const looking = second.next(0);
  await settle();
  // The branch of the two is read in the place of the other one, and is left for that one again.
  await ledger.applyEvm({ ...endingWith(HEAD, "a"), rewind });
  second.rewound(FINAL);
  asked.resolve();
  const step = await looking;
  assert.equal(step.kind === "back" ? step.parent?.number : null, HEAD);
  await ledger.applyEvm({ ...endingWith(INVENTED_HEAD, "b"), rewind });
  second.rewound(FINAL);
  assert.ok(second.isOutdated);
});

test("S-08: of RPCs that fail at each second reading in another way fifty are told, and the next ones when a reading has come to something", async () => {
  const { state, ledger, second, warnings } = await reading();
  await ledger.applyEvm(endingWith(HEAD, "a"));
  const failing = async (): Promise<void> => {
    state.isFailing = true;
    for (let look = 0; look < 100; look += 1) assert.equal((await second.next(0)).kind, "waiting");
    state.isFailing = false;
  };
  await failing();
  assert.equal(warnings.length, 50);
  assert.equal((await second.next(0)).kind, "more");
  await failing();
  assert.equal(warnings.length, 100);
});

test("A-130: an RPC that is asked for the end of a range alone, and does not answer, is waited for as long as for a range", async () => {
  const { state, ledger, second, warnings } = await reading();
  await ledger.applyEvm(endingWith(HEAD, "a"));
  second.firstRead(0, HEAD, 0, null);
  Object.assign(state, { hangsAt: `${RANGE - 1},${FINAL}`, isTimeUp: true });
  assert.equal((await second.next(0)).kind, "waiting");
  assert.deepEqual(warnings, []);
  state.hangsAt = "";
  assert.equal((await second.next(0)).kind, "raise");
});
