// Measures how soon a new block of either chain shows in a deal over HTTP: from before a node makes the block to the
// first answer of `GET deals/{hash}` that counts it, at random moments between two polls. One process holds service and
// PEARL node, which can only make it slower. node swap-tip.ts BLOCKS EVM_POLL_MS PEARL_POLL_MS -> one JSON line.

import { loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import {
  fund,
  lockOfDeal,
  lockPearl,
  lockUsdc,
  party,
  payPearl,
  seededSecret,
  signAsk,
  times,
} from "../testkit/worlds/swap-stage/parties.ts";
import { SwapStage } from "../testkit/worlds/swap-stage/swap-stage.ts";
import { takeBody } from "../testkit/builders/party.ts";

/** Times in milliseconds, ascending. */
export interface SwapTipLine {
  readonly evmPollMs: number;
  readonly pearlPollMs: number;
  readonly evm: readonly number[];
  readonly pearl: readonly number[];
  readonly cpuMs: number;
  readonly load: number;
}

const ASKING_PAUSE_MS = 3;
const PATIENCE_MS = 30_000;
const WARM_UP = 2;

type Deal = Readonly<Record<string, unknown>>;

/** A deal whose USDC and PEARL are locked: both chains count confirmations for it. */
async function lockedDeal(stage: SwapStage): Promise<string> {
  const [buyer, seller] = [party(stage, 1), party(stage, 2)];
  await payPearl(stage, seller, 300_000_000n);
  await fund(stage, buyer, 50_000_000n);
  await stage.caughtUp();
  const offer = await signAsk(stage, seller);
  await stage.http.post("/api/v1/swaps/asks", offer.body);
  const body = takeBody(buyer, seededSecret(1).hashlock, await times(stage));
  const taken = await stage.http.post(`/api/v1/swaps/asks/${offer.askId}/take`, body);
  if (taken.status !== 201) throw new Error(taken.text);
  await lockUsdc(stage, buyer, taken);
  await stage.mineEvm(3);
  const path = `/api/v1/swaps/deals/${String(taken.body["deal_hash"])}`;
  lockPearl(stage, seller, lockOfDeal((await stage.http.get(path)).body), 100_000_000n);
  await stage.minePearl(1);
  return path;
}

function confirmationsOf(deal: Deal, chain: "evm" | "pearl"): number {
  const all = Object(deal["confirmations"]) as Record<string, { have?: unknown }>;
  const have = all[chain]?.have;
  if (typeof have !== "number") throw new Error(`no confirmations: ${JSON.stringify(deal)}`);
  return have;
}

/** Milliseconds from before `make` until the deal counts one block more. */
async function visibleAfter(
  stage: SwapStage,
  path: string,
  chain: "evm" | "pearl",
  make: () => unknown,
): Promise<number> {
  const before = confirmationsOf((await stage.http.get(path)).body, chain);
  const started = performance.now();
  await make();
  for (;;) {
    const { body } = await stage.http.get(path);
    const elapsed = performance.now() - started;
    if (confirmationsOf(body, chain) === before + 1) return elapsed;
    if (elapsed > PATIENCE_MS) throw new Error(`a block of ${chain} does not show in the deal`);
    await pause(ASKING_PAUSE_MS);
  }
}

/** Moments spread evenly over the interval, in an order that is not the interval's: the same in each run. */
function phase(turn: number, blocks: number, intervalMs: number): number {
  return (((turn * 7) % blocks) / blocks) * intervalMs;
}

const [blocks = 20, evmPollMs = 1000, pearlPollMs = 250] = process.argv.slice(2).map(Number);
const stage = await SwapStage.open();
try {
  const path = await lockedDeal(stage);
  await stage.stopService();
  await stage.startService({ "--evm-poll-ms": String(evmPollMs), "--pearl-poll-ms": String(pearlPollMs) });
  const cpu = process.cpuUsage();
  const found: { evm: number[]; pearl: number[] } = { evm: [], pearl: [] };
  for (let turn = -WARM_UP; turn < blocks; turn += 1) {
    await pause(phase(turn + WARM_UP, blocks, evmPollMs));
    const evm = await visibleAfter(stage, path, "evm", () => stage.anvil.mine());
    await pause(phase(turn + WARM_UP, blocks, pearlPollMs));
    const pearl = await visibleAfter(stage, path, "pearl", () => stage.pearl.generate(1));
    if (turn < 0) continue;
    found.evm.push(evm);
    found.pearl.push(pearl);
  }
  const { user, system } = process.cpuUsage(cpu);
  const line: SwapTipLine = {
    evmPollMs,
    pearlPollMs,
    evm: found.evm.toSorted((one, other) => one - other),
    pearl: found.pearl.toSorted((one, other) => one - other),
    cpuMs: (user + system) / 1000,
    load: loadavg()[0] ?? Number.NaN,
  };
  console.log(JSON.stringify(line));
} finally {
  await stage.close();
}
