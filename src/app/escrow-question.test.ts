// Until an RPC has shown the configured escrow the EVM side is stalled, and says which of both it waits for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { handClock } from "../../testkit/doubles/clock.ts";
import { textLog } from "../../testkit/doubles/log.ts";
import type { EvmAddress } from "../primitives/brands.ts";
import type { EscrowInspection } from "../swaps/evm/evm-chain.ts";
import { EvmUnavailable } from "../swaps/evm/evm-unavailable.ts";
import { CommandRefused } from "./cli/ending.ts";
import { EscrowQuestion } from "./escrow-question.ts";

const FOLLOWED = { height: -1, indexedHeight: 7, lag: 0, indexingStatus: "syncing" } as const;
const FITS = { faults: [], usdc: "0x5fbdb2315678afecb367f032d93f642f64180aa3", minUsdc: 1n };
const MISFIT = { faults: ["it is no escrow"], usdc: null, minUsdc: null };

/** The answers to one question after the other, a text for a failure; and a question over them. */
function question(answers: readonly unknown[], after: (left: number) => void = () => undefined) {
  const left = [...answers];
  const lines: string[] = [];
  const inspectEscrow = async (): Promise<EscrowInspection> => {
    const answer = left.shift();
    after(left.length);
    if (typeof answer === "string") throw new Error(answer);
    if (answer instanceof Error) throw answer;
    return answer as EscrowInspection;
  };
  // The patience of a start ends long after an answer that is there at once.
  const clock = { ...handClock(() => 0), sleep: () => new Promise<void>((done) => setTimeout(done, 5)) };
  return { asked: new EscrowQuestion({ inspectEscrow }, 3, textLog(lines), clock), lines };
}

/** What /health says of it. */
function said(asked: EscrowQuestion): string {
  const { indexingStatus } = asked.status(FOLLOWED);
  return [indexingStatus, ...asked.conditions().map(({ code, sentence }) => `${code} ${sentence}`)].join(" ");
}

test("an escrow that fits at the start: nothing is wrong", async () => {
  const { asked, lines } = question([FITS]);
  await asked.askAtStart();
  assert.equal(said(asked), "syncing");
  assert.equal(asked.facts?.firstBlock, 3);
  assert.deepEqual(lines, []);
});

test("one that does not fit at the start is refused", async () => {
  await assert.rejects(question([MISFIT]).asked.askAtStart(), CommandRefused);
});

test("silence, then another contract, then the right one: stalled until then, and each trouble is one line", async () => {
  const seen: string[] = [];
  const { asked, lines } = question(["down", "down", "no key", MISFIT, MISFIT, FITS], () =>
    seen.push(said(asked)),
  );
  await asked.askAtStart();
  await asked.settle(new AbortController().signal);
  const [atStart, ...behind] = seen;
  assert.equal(atStart, "syncing");
  for (const [i, wanted] of [
    /^stalled EVM_STALLED The EVM RPCs have not said yet what stands at ESCROW_ADDRESS/,
    /^stalled EVM_STALLED The EVM RPCs have not said yet what stands at ESCROW_ADDRESS/,
    /^stalled EVM_STALLED The EVM RPCs have not said yet what stands at ESCROW_ADDRESS/,
    /^stalled EVM_STALLED What the EVM RPCs show is not the configured escrow/,
    /^stalled EVM_STALLED What the EVM RPCs show is not the configured escrow/,
  ].entries())
    assert.match(behind[i] ?? "", wanted);
  assert.equal(said(asked), "syncing");
  assert.deepEqual(
    lines.map((line) => line.replace(/ \{.*/, "")),
    [
      "warn no EVM RPC answers yet; swaps wait for one",
      "warn no EVM RPC answers yet; swaps wait for one",
      "error alarm: the escrow does not fit the configuration",
      "info an EVM RPC answers: swaps go on",
    ],
  );
});

test("RPCs that contradict each other refuse no start, and are told of as such until two agree", async () => {
  const contradiction = new EvmUnavailable("UNSETTLED", "no two agree");
  const { asked, lines } = question([contradiction, contradiction, FITS]);
  await asked.askAtStart();
  assert.match(said(asked), /^stalled EVM_STALLED No two EVM RPCs agree on what stands at ESCROW_ADDRESS/);
  await asked.settle(new AbortController().signal);
  assert.equal(said(asked), "syncing");
  assert.deepEqual(
    lines.map((line) => line.replace(/ \{.*/, "")),
    [
      "error alarm: the EVM RPCs do not agree on the escrow; swaps wait",
      "info an EVM RPC answers: swaps go on",
    ],
  );
});

test("an RPC that takes the question and says nothing: stalled when the start has waited long enough", async () => {
  const asked = new EscrowQuestion(
    { inspectEscrow: () => new Promise<EscrowInspection>(() => undefined) },
    3,
    textLog([]),
    handClock(() => 0),
  );
  await asked.askAtStart();
  assert.match(
    said(asked),
    /^stalled EVM_STALLED The EVM RPCs have not said yet what stands at ESCROW_ADDRESS/,
  );
});

test("an answer that comes just after the start has waited is not asked for anew: one of two RPCs may hang", async () => {
  let questions = 0;
  const answer = Promise.withResolvers<EscrowInspection>();
  const inspectEscrow = (): Promise<EscrowInspection> => {
    questions += 1;
    return questions === 1 ? answer.promise : new Promise<EscrowInspection>(() => undefined);
  };
  const asked = new EscrowQuestion(
    { inspectEscrow },
    3,
    textLog([]),
    handClock(() => 0),
  );
  await asked.askAtStart();
  assert.match(
    said(asked),
    /^stalled EVM_STALLED The EVM RPCs have not said yet what stands at ESCROW_ADDRESS/,
  );
  const settled = asked.settle(new AbortController().signal);
  answer.resolve({ ...FITS, usdc: FITS.usdc as EvmAddress });
  await settled;
  assert.equal(questions, 1);
  assert.equal(said(asked), "syncing");
});
