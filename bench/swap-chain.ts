// Starts an EVM dev node whose chain holds many escrow logs from real transactions. The chain is made once and its
// state kept in the `data` folder, so that later runs only load it.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Hex } from "viem";
import type { EvmAddress } from "../src/primitives/brands.ts";
import { created } from "../testkit/doubles/anvil/deploy.ts";
import { type Anvil, startAnvil } from "../testkit/doubles/anvil/node.ts";
import { type LogCounts, transactionInputs, TRANSACTIONS_PER_BLOCK } from "./swap-logs.ts";
import { START } from "./swap-orders.ts";

const FOLDER = fileURLToPath(new URL("./data/", import.meta.url));
const MAKER = fileURLToPath(new URL("../contracts/build/test/LogMaker.json", import.meta.url));
/** What the chain is made of: another text makes another chain. */
const SOURCES = ["swap-logs.ts", "swap-orders.ts"];

/** What is known of the chain. */
export interface MadeChain {
  readonly escrow: EvmAddress;
  readonly firstBlock: number;
  readonly logs: LogCounts;
}

/** A running node with the logs. */
export interface LogChain extends MadeChain {
  readonly anvil: Anvil;
}

/** Starts a node whose chain has `count` logs; makes them where no earlier run did. */
export async function openLogChain(count: number): Promise<LogChain> {
  mkdirSync(FOLDER, { recursive: true });
  const name = `swap-logs-${count}-`;
  const state = `${FOLDER}${name}${versionOf()}.json`;
  const about = `${state}.about`;
  if (!existsSync(about)) {
    for (const old of readdirSync(FOLDER)) if (old.startsWith(name)) rmSync(`${FOLDER}${old}`);
    await make(count, state, about);
  }
  const made = JSON.parse(readFileSync(about, "utf8")) as MadeChain;
  const anvil = await startAnvil({ genesisTime: START, extra: ["--load-state", state] });
  return { ...made, anvil };
}

function versionOf(): string {
  const hash = createHash("sha256").update(readFileSync(MAKER));
  for (const name of SOURCES) hash.update(readFileSync(new URL(name, import.meta.url)));
  return hash.digest("hex").slice(0, 12);
}

async function make(count: number, state: string, about: string): Promise<void> {
  const anvil = await startAnvil({
    genesisTime: START,
    noMining: true,
    extra: ["--gas-limit", "1000000000"],
  });
  try {
    const { bytecode } = JSON.parse(readFileSync(MAKER, "utf8")) as { bytecode: Hex };
    const from = anvil.account(0).address;
    const creation = (await anvil.rpc("eth_sendTransaction", [{ from, data: bytecode }])) as Hex;
    await anvil.mine();
    const { address: escrow, block } = await created(anvil, creation);
    const logs: LogCounts = {};
    const to = escrow.toLowerCase() as EvmAddress;
    let waiting = 0;
    for (const data of transactionInputs(to, count, logs)) {
      await anvil.rpc("eth_sendTransaction", [{ from, to, data, gas: "0x1312d00" }]);
      waiting += 1;
      if (waiting % TRANSACTIONS_PER_BLOCK === 0) await anvil.mine();
    }
    // Two more, so that all of it is final.
    await anvil.mine(3);
    const made: MadeChain = { escrow: to, firstBlock: Number(block), logs };
    const dump = String(await anvil.rpc("anvil_dumpState"));
    writeFileSync(state, gunzipSync(Buffer.from(dump.slice(2), "hex")));
    // Written last: with it, the state is whole.
    writeFileSync(about, JSON.stringify(made));
  } finally {
    await anvil.stop();
  }
}
