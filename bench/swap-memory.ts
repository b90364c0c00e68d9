// Measures how much memory 100,000 watched deals take, how long a start takes to read them, and what a new block costs.
// One process writes synthetic orders with one lock output each to a database, another loads them.
// node swap-memory.ts DEALS -> one JSON line.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSqliteStore } from "../src/adapters/store-sqlite/sqlite-store.ts";
import { systemClock } from "../src/adapters/system/clock.ts";
import { withSteadyHeap } from "../src/adapters/system/steady-heap.ts";
import { swapCrypto } from "../src/adapters/system/swap-crypto.ts";
import type { BlockHash, EvmAddress, Outpoint, Txid } from "../src/primitives/brands.ts";
import { SwapLedger } from "../src/swaps/ledger/ledger.ts";
import type { SwapStore } from "../src/swaps/ledger/ports.ts";
import type { EscrowEvent, PearlBlockFact, Sighting } from "../src/swap/facts.ts";
import { dealRow } from "../src/swap/rows.ts";
import type { EvaluationContext } from "../src/swap/subject.ts";
import { bytes32, CHAIN_ID, digest, rulesFor, sellerOfDeal, START, termsOfDeal } from "./swap-orders.ts";

/** What this program prints. Megabytes are beyond the same process with an empty ledger. */
export interface MemoryLine {
  readonly deals: number;
  readonly scripts: number;
  /** Resident after loading and collecting garbage. */
  readonly rssMb: number;
  /** Resident when the load has just ended. */
  readonly rssAtOnceMb: number;
  /** Of `rssMb`: not mapped files. */
  readonly ownMb: number;
  readonly heapMb: number;
  readonly loadMs: number;
  /** A new PEARL block with some deals waiting for confirmations: median and longest of 40. */
  readonly blockMs: number;
  readonly blockMostMs: number;
  /** Every subject from the ledger, made into its row. */
  readonly rowsMs: number;
  readonly load: number;
}

const DEALS_PER_BLOCK = 50;
const HOT_DEALS = 100;
const escrow = `0x${"1".repeat(40)}` as EvmAddress;
const rules = rulesFor(escrow);

const quiet = (): void => undefined;

function openLedger(store: SwapStore): Promise<SwapLedger> {
  return SwapLedger.open({
    store,
    identity: { network: "simnet", chainId: CHAIN_ID, escrow },
    crypto: swapCrypto,
    rules,
    clock: systemClock,
    log: { info: quiet, warn: quiet, error: quiet, debug: quiet },
    evmConfirmations: null,
    takeMax: 100_000,
  });
}

function eventsOf(deal: number, block: number, logIndex: number): readonly EscrowEvent[] {
  const blockHash = bytes32(`evm ${block}`);
  const place = { block, blockHash, time: START + 12 * block, txHash: bytes32(`evm tx ${deal}`), logIndex };
  const terms = termsOfDeal(deal, place.time, "bid");
  const orderHash = bytes32(`order ${deal}`);
  const { seller, key } = sellerOfDeal(deal);
  return [
    { kind: "OrderLocked", place, orderHash, terms },
    {
      kind: "OrderAccepted",
      place: { ...place, logIndex: logIndex + 1 },
      orderHash,
      seller,
      sellerPearlKey: key,
    },
  ];
}

function htlcOf(
  ledger: SwapLedger,
  deal: number,
  height: number,
): { sighting: Sighting; fact: PearlBlockFact } {
  const script = ledger.subject(bytes32(`order ${deal}`))?.script;
  if (script === undefined || script === null) throw new Error(`deal ${deal} has no script`);
  const txid = digest(`lock ${deal}`) as Txid;
  const output = { txid, vout: 0, amountSat: 500_000_000_000n, script, coinbase: false };
  const blockHash = digest(`pearl ${height}`) as BlockHash;
  const place = { height, blockHash, time: START + 194 * height, txIndex: 1 + (deal % DEALS_PER_BLOCK) };
  const inputs = [`${digest(`coin ${deal}`)}:1` as Outpoint];
  return { sighting: { ...output, inputs }, fact: { kind: "output", place, ...output } };
}

function pearlTip(height: number) {
  const time = START + 194 * height;
  return { height, hash: digest(`pearl ${height}`) as BlockHash, time, medianTimePast: time - 1_000 };
}

/** Writes the deals; the last `HOT_DEALS` have their lock in the newest blocks. */
async function build(file: string, deals: number): Promise<void> {
  const store = await openSqliteStore({ file });
  const ledger = await openLedger(store.swaps);
  const blocks = Math.ceil(deals / DEALS_PER_BLOCK);
  for (let first = 0; first < blocks; first += 100) {
    const events: EscrowEvent[] = [];
    const last = Math.min(first + 100, blocks) - 1;
    for (
      let deal = first * DEALS_PER_BLOCK;
      deal < Math.min((last + 1) * DEALS_PER_BLOCK, deals);
      deal += 1
    ) {
      const at = deal % DEALS_PER_BLOCK;
      events.push(...eventsOf(deal, Math.floor(deal / DEALS_PER_BLOCK), 2 * at));
    }
    const tip = { height: last, hash: bytes32(`evm ${last}`), time: START + 12 * last };
    await ledger.applyEvm({ rewindTo: null, events, checkpoints: [], tip, finalHeight: last });
  }
  for (let first = 0; first < blocks; first += 100) {
    const last = Math.min(first + 100, blocks) - 1;
    const locks: ReturnType<typeof htlcOf>[] = [];
    for (
      let deal = first * DEALS_PER_BLOCK;
      deal < Math.min((last + 1) * DEALS_PER_BLOCK, deals);
      deal += 1
    ) {
      // Old locks are old: a start finds only the newest ones waiting for confirmations.
      const height = deal < deals - HOT_DEALS ? Math.floor(deal / DEALS_PER_BLOCK) : blocks + 100;
      locks.push(htlcOf(ledger, deal, Math.min(height, last === blocks - 1 ? blocks + 100 : last)));
    }
    await ledger.applyPearl({
      rewindTo: null,
      facts: locks.map(({ fact }) => fact),
      sightings: locks.map(({ sighting }) => sighting),
      secrets: [],
      checkpoints: [],
      tip: pearlTip(last === blocks - 1 ? blocks + 100 : last),
      covered: locks.map(({ fact }) => (fact.kind === "output" ? [fact.script] : [])).flat(),
    });
  }
  await store.close();
}

/** Loads them, changes the tip, and asks for every row. */
async function load(file: string): Promise<MemoryLine> {
  const store = await openSqliteStore({ file });
  globalThis.gc?.();
  const before = process.memoryUsage();
  const ownBefore = ownMemoryMb();
  const started = performance.now();
  const ledger = await withSteadyHeap(() => openLedger(store.swaps));
  const loadMs = performance.now() - started;
  const rssAtOnceMb = (process.memoryUsage.rss() - before.rss) / 1e6;
  globalThis.gc?.();
  await systemClock.sleep(500);
  globalThis.gc?.();
  const after = process.memoryUsage();
  const ownMb = ownMemoryMb() - ownBefore;
  const blockMs = await blockTimes(ledger);
  const from = performance.now();
  const context: EvaluationContext = {
    tips: ledger.tips(),
    now: ledger.tips().evm.time,
    isReady: true,
    witnesses: null,
  };
  let rows = 0;
  for (const hash of ledger.orders()) {
    const subject = ledger.subject(hash);
    if (subject !== null && dealRow(subject, context, rules)?.status !== undefined) rows += 1;
  }
  const line: MemoryLine = {
    deals: rows,
    scripts: ledger.watch.size,
    rssMb: (after.rss - before.rss) / 1e6,
    rssAtOnceMb,
    ownMb,
    heapMb: (after.heapUsed - before.heapUsed) / 1e6,
    loadMs,
    blockMs: blockMs[Math.floor(blockMs.length / 2)] ?? Number.NaN,
    blockMostMs: blockMs.at(-1) ?? Number.NaN,
    rowsMs: performance.now() - from,
    load: loadavg()[0] ?? Number.NaN,
  };
  await store.close();
  return line;
}

/** How long new PEARL blocks take, ascending; in some of them the rows of all waiting deals change. */
async function blockTimes(ledger: SwapLedger): Promise<readonly number[]> {
  const { height } = ledger.tips().pearl;
  const times: number[] = [];
  for (let next = height + 1; next <= height + 40; next += 1) {
    const from = performance.now();
    const change = { rewindTo: null, facts: [], sightings: [], secrets: [], checkpoints: [], covered: [] };
    await ledger.applyPearl({ ...change, tip: pearlTip(next) });
    times.push(performance.now() - from);
  }
  return times.toSorted((one, other) => one - other);
}

/** Anonymous memory: RSS without mapped files, whose pages the system takes back as it likes. */
function ownMemoryMb(): number {
  const line = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
  return Number(line?.[1] ?? Number.NaN) / 1e3;
}

const [mode = "100000", file = "", count = ""] = process.argv.slice(2);
if (mode === "build") await build(file, Number(count));
else if (mode === "load") console.log(JSON.stringify(await load(file)));
else {
  const folder = await mkdtemp(join(tmpdir(), "strand-swap-memory-"));
  const program = fileURLToPath(import.meta.url);
  const run = (...given: string[]) =>
    execFileSync(process.execPath, ["--expose-gc", program, ...given], { stdio: "inherit" });
  try {
    run("build", join(folder, "index.db"), mode);
    run("load", join(folder, "index.db"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
