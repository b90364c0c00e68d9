// Measures how long an empty database needs for the escrow's logs, with the real follower, ledger and SQLite against a
// dev node in its own process. Beside it stands the node's share: the wait for its answers, and the same questions
// asked again by a program that does nothing with the answers. node swap-index.ts LOGS -> one JSON line.

import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openEvmChain } from "../src/adapters/evm-rpc/open-evm-chain.ts";
import { openSqliteStore } from "../src/adapters/store-sqlite/sqlite-store.ts";
import { systemClock } from "../src/adapters/system/clock.ts";
import { swapCrypto } from "../src/adapters/system/swap-crypto.ts";
import type { EvmSource } from "../src/swaps/evm/evm-chain.ts";
import { EvmFollower } from "../src/swaps/evm/evm-follower.ts";
import { EVM_FOLLOWER_DEFAULTS } from "../src/swaps/evm/evm-options.ts";
import { SwapLedger } from "../src/swaps/ledger/ledger.ts";
import { cpuMs } from "./processes.ts";
import { type LogChain, openLogChain } from "./swap-chain.ts";
import { CHAIN_ID, rulesFor } from "./swap-orders.ts";
import { warningLog } from "../testkit/doubles/log.ts";
import { syncedBy } from "../testkit/builders/swap-ledger/ledger-facts.ts";

/** What this program prints. Times in milliseconds. */
export interface IndexLine {
  readonly logs: number;
  readonly orders: number;
  readonly blocks: number;
  readonly ms: number;
  readonly ourCpuMs: number;
  readonly nodeCpuMs: number | null;
  /** Time in which a question to the node was open and this thread had nothing else to do. */
  readonly waitedMs: number;
  /** The same questions, asked one after the other, their answers dropped. */
  readonly rawMs: number;
  readonly questions: number;
  readonly load: number;
}

/** How long this thread has had nothing to do. */
const idleMs = (): number => performance.eventLoopUtilization().idle;

/** Questions in the order in which they were asked, and for how long any was waited for. */
class Questions {
  readonly bodies: string[] = [];
  waitedMs = 0;
  #open = 0;
  #since = 0;

  async during<Answer>(calls: readonly object[], answer: Promise<Answer>): Promise<Answer> {
    this.bodies.push(JSON.stringify(calls));
    if (this.#open === 0) this.#since = idleMs();
    this.#open += 1;
    try {
      return await answer;
    } finally {
      this.#open -= 1;
      if (this.#open === 0) this.waitedMs += idleMs() - this.#since;
    }
  }
}

const call = (method: string, params: readonly unknown[], id = 0): object => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
const hex = (number: number): string => `0x${number.toString(16)}`;

/** The same source, with its questions noted. */
function noted(source: EvmSource, questions: Questions, address: string): EvmSource {
  const ranges = (from: number, to: number): object =>
    call("eth_getLogs", [{ address, fromBlock: hex(from), toBlock: hex(to) }]);
  return {
    name: source.name,
    heads: () =>
      questions.during(
        ["latest", "finalized"].map((tag, id) => call("eth_getBlockByNumber", [tag, false], id)),
        source.heads(),
      ),
    blocksAt: (numbers) =>
      questions.during(
        numbers.map((number, id) => call("eth_getBlockByNumber", [hex(number), false], id)),
        source.blocksAt(numbers),
      ),
    blocksByHash: (hashes) =>
      questions.during(
        hashes.map((hash, id) => call("eth_getBlockByHash", [hash, false], id)),
        source.blocksByHash(hashes),
      ),
    logs: (from, to) => questions.during([ranges(from, to)], source.logs(from, to)),
    logsOfBlock: (hash) =>
      questions.during([call("eth_getLogs", [{ address, blockHash: hash }])], source.logsOfBlock(hash)),
    receipts: (hashes) =>
      questions.during(
        hashes.map((hash, id) => call("eth_getTransactionReceipt", [hash], id)),
        source.receipts(hashes),
      ),
  };
}

const faults: string[] = [];
const log = warningLog(faults);

async function indexed(
  chain: LogChain,
  file: string,
): Promise<Omit<IndexLine, "rawMs"> & { bodies: string[] }> {
  const { anvil, escrow, firstBlock } = chain;
  const questions = new Questions();
  const evm = openEvmChain({
    urls: [anvil.url],
    chainId: CHAIN_ID,
    escrow,
    confirmations: "finalized",
    clock: systemClock,
  });
  const sources = evm.sources.map((source) => noted(source, questions, escrow));
  const nodeBefore = cpuMs(anvil.pid);
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  const store = await openSqliteStore({ file });
  const ledger = await SwapLedger.open({
    store: store.swaps,
    identity: { network: "simnet", chainId: CHAIN_ID, escrow },
    crypto: swapCrypto,
    rules: rulesFor(escrow),
    clock: systemClock,
    log,
    evmConfirmations: null,
    takeMax: 100_000,
    contextOf: syncedBy(systemClock),
  });
  const follower = new EvmFollower(
    { chain: { ...evm, sources }, ledger, crypto: swapCrypto, clock: systemClock, log },
    { ...EVM_FOLLOWER_DEFAULTS, firstBlock, pollMs: 1000, rereadMs: 0 },
  );
  await follower.run(new AbortController().signal, "tip");
  await ledger.settled();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  const nodeAfter = cpuMs(anvil.pid);
  await check(chain, ledger);
  await store.close();
  evm.close();
  if (faults.length > 0) throw new Error(faults.join("; "));
  return {
    logs: Object.values(chain.logs).reduce((sum, count) => sum + count, 0),
    orders: [...ledger.orders()].length,
    blocks: ledger.tips().evm.height,
    ms,
    ourCpuMs: (user + system) / 1000,
    nodeCpuMs: nodeBefore === null || nodeAfter === null ? null : nodeAfter - nodeBefore,
    waitedMs: questions.waitedMs,
    questions: questions.bodies.length,
    load: loadavg()[0] ?? Number.NaN,
    bodies: questions.bodies,
  };
}

/** Every log must have become what it says. */
async function check(chain: LogChain, ledger: SwapLedger): Promise<void> {
  const found: Record<string, number> = {};
  const count = (kind: string): void => {
    found[kind] = (found[kind] ?? 0) + 1;
  };
  for (const hash of ledger.orders()) {
    const subject = ledger.subject(hash);
    const order = subject?.order ?? null;
    if (subject === null || order === null) throw new Error(`${hash} is no order`);
    count("OrderLocked");
    if (order.accepted !== null) count("OrderAccepted");
    if (order.accepted !== null && subject.script === null) throw new Error(`${hash} has no lock script`);
    if (order.closed !== null) {
      count(
        { claimed: "OrderClaimed", refunded: "OrderRefunded", cancelled: "OrderCancelled" }[
          order.closed.kind
        ],
      );
    }
  }
  for (const [kind, made] of Object.entries(chain.logs)) {
    if (kind === "AsksRevoked") continue;
    if (found[kind] !== made) throw new Error(`${found[kind] ?? 0} of ${made} logs ${kind} in the ledger`);
  }
  const head = Number(await chain.anvil.rpc("eth_blockNumber"));
  if (ledger.tips().evm.height !== head) throw new Error(`indexed to ${ledger.tips().evm.height} of ${head}`);
}

/** Asks the same again and reads the answers to their end. */
async function raw(port: number, bodies: readonly string[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const started = performance.now();
  for (const body of bodies) {
    await new Promise<void>((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const asked = request(
        { host: "127.0.0.1", port, method: "POST", path: "/", agent, headers },
        (answer) => {
          answer.on("error", reject);
          answer.on("end", resolve);
          answer.resume();
        },
      );
      asked.on("error", reject);
      asked.end(body);
    });
  }
  const ms = performance.now() - started;
  agent.destroy();
  return ms;
}

const chain = await openLogChain(Number(process.argv[2] ?? "200000"));
const folder = mkdtempSync(join(tmpdir(), "strand-swap-index-"));
try {
  const { bodies, ...found } = await indexed(chain, join(folder, "index.db"));
  const line: IndexLine = { ...found, rawMs: await raw(chain.anvil.port, bodies) };
  console.log(JSON.stringify(line));
} finally {
  await chain.anvil.stop();
  rmSync(folder, { recursive: true });
}
