// How much memory do 100,000 watched deals take, how long does a start read them, and what does a new block cost?
// Synthetic orders with one lock output each, written to a database by one process and loaded by another.
//
//   node bench/swap-memory.ts [number of deals]

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSqliteStore } from "../src/adapters/store-sqlite/index.ts";
import { systemClock } from "../src/adapters/system/clock.ts";
import { swapCrypto } from "../src/adapters/system/swap-crypto.ts";
import type { BlockHash, Bytes32, EvmAddress, Outpoint, Txid } from "../src/primitives/brands.ts";
import { SwapLedger } from "../src/service/swaps/ledger.ts";
import type { SwapStore } from "../src/service/swaps/ports.ts";
import type { EscrowEvent, PearlBlockFact, Sighting } from "../src/swap/facts.ts";
import { DEFAULT_PROFILES } from "../src/swap/profiles.ts";
import { type Terms, ZERO_ADDRESS, ZERO_BYTES32 } from "../src/swap/terms.ts";

const START = 1_800_000_000;
const DEALS_PER_BLOCK = 50;
const HOT_DEALS = 100;
/**
 * The space for new objects grows to 134 MB while anything is allocated fast and stays, empty, whatever is kept: bounded
 * here, so that what is measured is the deals.
 */
const NODE_OPTIONS = ["--expose-gc", "--max-semi-space-size=16"];
const escrow = `0x${"1".repeat(40)}` as EvmAddress;

const quiet = (): void => undefined;

function digest(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}

function bytes32(name: string): Bytes32 {
  return `0x${digest(name)}` as Bytes32;
}

function address(name: string): EvmAddress {
  return `0x${digest(name).slice(0, 40)}` as EvmAddress;
}

function pointKey(name: string): Bytes32 {
  for (let count = 0; ; count += 1) {
    const key = digest(`${name} ${count}`);
    if (swapCrypto.isPoint(Buffer.from(key, "hex"))) return `0x${key}` as Bytes32;
  }
}

function openLedger(store: SwapStore): Promise<SwapLedger> {
  return SwapLedger.open({
    store,
    identity: { network: "simnet", chainId: 31_337, escrow },
    crypto: swapCrypto,
    rules: {
      ...DEFAULT_PROFILES,
      smallDealUsdc: 1_000_000_000n,
      deltaS: 21_600,
      hrp: "rprl",
      chainId: 31_337,
      escrow,
    },
    clock: systemClock,
    log: { info: quiet, warn: quiet, error: quiet, debug: quiet },
    evmConfirmations: null,
    takeMax: 100_000,
  });
}

function eventsOf(deal: number, block: number, logIndex: number): readonly EscrowEvent[] {
  const blockHash = bytes32(`evm ${block}`);
  const place = { block, blockHash, time: START + 12 * block, txHash: bytes32(`evm tx ${deal}`), logIndex };
  const secret = digest(`secret ${deal}`);
  const hashlock = createHash("sha256").update(Buffer.from(secret, "hex")).digest("hex");
  const terms: Terms = {
    buyer: address(`buyer ${deal}`),
    seller: ZERO_ADDRESS,
    hashlock: `0x${hashlock}` as Bytes32,
    usdcAmount: 250_000_000n + BigInt(deal),
    pearlAmountSat: 500_000_000_000n,
    buyerPearlKey: pointKey(`buyer ${deal}`),
    sellerPearlKey: ZERO_BYTES32,
    pearlRefundTime: place.time + 5 * 3600,
    evmRefundTime: place.time + 12 * 3600,
    feeBps: 200,
    feeRecipient: address("fees"),
    askId: ZERO_BYTES32,
    nonce: BigInt(deal),
  };
  const orderHash = bytes32(`order ${deal}`);
  const sellerPearlKey = pointKey(`seller ${deal % 5_000}`);
  return [
    { kind: "OrderLocked", place, orderHash, terms },
    {
      kind: "OrderAccepted",
      place: { ...place, logIndex: logIndex + 1 },
      orderHash,
      seller: address(`seller ${deal % 5_000}`),
      sellerPearlKey,
    },
  ];
}

function lockOf(
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
  const started = performance.now();
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
  const evmMs = performance.now() - started;
  for (let first = 0; first < blocks; first += 100) {
    const last = Math.min(first + 100, blocks) - 1;
    const locks: ReturnType<typeof lockOf>[] = [];
    for (
      let deal = first * DEALS_PER_BLOCK;
      deal < Math.min((last + 1) * DEALS_PER_BLOCK, deals);
      deal += 1
    ) {
      // Old locks are old: a start finds only the newest ones waiting for confirmations.
      const height = deal < deals - HOT_DEALS ? Math.floor(deal / DEALS_PER_BLOCK) : blocks + 100;
      locks.push(lockOf(ledger, deal, Math.min(height, last === blocks - 1 ? blocks + 100 : last)));
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
  report("write escrow events, ms", evmMs);
  report("write in all, ms", performance.now() - started);
}

/** Loads them and changes the tip. */
async function load(file: string): Promise<void> {
  const store = await openSqliteStore({ file });
  globalThis.gc?.();
  const before = process.memoryUsage();
  const ownBefore = ownMemoryMb();
  const started = performance.now();
  const ledger = await openLedger(store.swaps);
  report("load, ms", performance.now() - started);
  report("RSS grown right after the load, MB", (process.memoryUsage.rss() - before.rss) / 1e6);
  globalThis.gc?.();
  await systemClock.sleep(500);
  globalThis.gc?.();
  const after = process.memoryUsage();
  report("RSS grown, MB", (after.rss - before.rss) / 1e6);
  report("of that memory of its own (not mapped files), MB", ownMemoryMb() - ownBefore);
  report("heap grown, MB", (after.heapUsed - before.heapUsed) / 1e6);
  report("scripts watched", ledger.watch.size);
  const height = ledger.tips().pearl.height;
  const times: number[] = [];
  for (let next = height + 1; next <= height + 40; next += 1) {
    const from = performance.now();
    const change = { rewindTo: null, facts: [], sightings: [], secrets: [], checkpoints: [], covered: [] };
    await ledger.applyPearl({ ...change, tip: pearlTip(next) });
    times.push(performance.now() - from);
  }
  times.sort((one, other) => one - other);
  report("one PEARL block with 100 waiting deals, median ms", times[20] ?? Number.NaN);
  report("the slowest of 40 (all 100 rows change), ms", times.at(-1) ?? Number.NaN);
  const from = performance.now();
  let read = 0;
  for (const hash of ledger.orders()) if (ledger.subject(hash) !== null) read += 1;
  report(`${read} subjects, ms`, performance.now() - from);
  await store.close();
}

/** Anonymous memory: RSS without mapped files, whose pages the system takes back as it likes. */
function ownMemoryMb(): number {
  const line = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
  return Number(line?.[1] ?? Number.NaN) / 1e3;
}

function report(what: string, value: number): void {
  process.stdout.write(`${what}: ${Number.isInteger(value) ? value : value.toFixed(1)}\n`);
}

const [mode = "all", file = "", count = "100000"] = process.argv.slice(2);
if (mode === "build") await build(file, Number(count));
else if (mode === "load") await load(file);
else {
  const folder = await mkdtemp(join(tmpdir(), "strand-swap-memory-"));
  const program = fileURLToPath(import.meta.url);
  const deals = /^[0-9]+$/.test(mode) ? mode : count;
  const run = (...given: string[]) =>
    execFileSync(process.execPath, [...NODE_OPTIONS, program, ...given], { stdio: "inherit" });
  try {
    run("build", join(folder, "index.db"), deals);
    run("load", join(folder, "index.db"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
