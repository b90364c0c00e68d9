// A process that writes swap transactions until it is killed: the database file is its argument, each acknowledged
// height a line of its output.

import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import type { EvmAddress } from "../../src/primitives/brands.ts";
import { NO_CHANGE } from "../../src/swaps/ledger/ports.ts";

const file = process.argv[2];
if (file === undefined) throw new Error("the database file is missing");
const { swaps } = await openSqliteStore({ file });
await swaps.initialise({ network: "simnet", chainId: 1, escrow: `0x${"1".repeat(40)}` as EvmAddress });
for (let height = 1; ; height += 1) {
  await swaps.commit({
    ...NO_CHANGE,
    put: ["a", "b"].map((name) => ({
      kind: "event",
      key: `${height}:${name}`,
      chain: "evm",
      height,
      body: "{}",
    })),
    checkpoints: [{ chain: "evm", height, hash: String(height), time: height }],
    events: [{ type: "bid", chain: "evm", height, dealHash: null, addresses: [], data: "{}" }],
  });
  process.stdout.write(`${height}\n`);
}
