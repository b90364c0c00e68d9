// `/health` warns of finality that leaves deals no time, and of too few confirmations (S-05, H-20). A real EVM node
// stands under a service of a real network, where both count; on simnet, where time is moved by hand, neither is told.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readConfig } from "../../src/app/config/config.ts";
import { type RunningService, startService } from "../../src/app/main.ts";
import { deployEscrow } from "../../testkit/doubles/anvil/deploy.ts";
import { type Anvil, startAnvil } from "../../testkit/doubles/anvil/node.ts";
import { logOf } from "../../testkit/doubles/log.ts";
import { until } from "../../testkit/until.ts";

const NOW_S = Math.floor(Date.now() / 1000);
const HOURS_AGO_S = NOW_S - 3 * 3600;

let anvil: Anvil;
let escrow: { readonly address: string; readonly block: bigint };
const folder = mkdtempSync(join(tmpdir(), "strand-finality-"));

before(async () => {
  anvil = await startAnvil({ genesisTime: HOURS_AGO_S });
  escrow = await deployEscrow(anvil);
  await anvil.mine(5);
  // The newest block is of now, and the final one below it hours old.
  await anvil.increaseTo(NOW_S - 60);
});
after(async () => {
  await anvil.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Health {
  readonly reasons: readonly string[];
  readonly sentences: string;
}

async function served(
  network: string,
  confirmations: string,
  look: (health: () => Promise<Health>) => Promise<void>,
): Promise<string> {
  const read = readConfig({
    flags: new Map(),
    environment: {
      STRAND_NETWORK: network,
      PEARL_RPC_URL: "http://127.0.0.1:1",
      PRC20_FEE_BPS: "0",
      EVM_RPC_URLS: anvil.url,
      EVM_CHAIN_ID: "31337",
      EVM_CONFIRMATIONS: confirmations,
      EVM_POLL_MS: "20",
      ESCROW_ADDRESS: escrow.address.toLowerCase(),
      ESCROW_FIRST_BLOCK: String(escrow.block),
      DATABASE_URL: `sqlite:${join(folder, `${network}-${confirmations}.db`)}`,
      HOST: "127.0.0.1",
      PORT: "0",
    },
    readFile: () => null,
  });
  assert.ok(read.ok, read.ok ? "" : read.error.join("\n"));
  const warned: string[] = [];
  const service: RunningService = await startService(read.value, {
    log: logOf((level, message) => void (level === "warn" && warned.push(message))),
  });
  try {
    await look(async () => {
      const answer = await fetch(`http://127.0.0.1:${service.port}/health`);
      const body = (await answer.json()) as {
        readonly reasons: readonly string[];
        readonly conditions: readonly { readonly code: string; readonly message: string }[];
      };
      return { reasons: body.reasons, sentences: body.conditions.map(({ message }) => message).join("\n") };
    });
  } finally {
    await service.stop();
  }
  return warned.join("\n");
}

test("finality three hours behind the newest block is told, and no longer when it has come closer", async () => {
  const warned = await served("mainnet", "finalized", async (health) => {
    const isTold = async (): Promise<boolean> => (await health()).reasons.includes("EVM_FINALITY_LAGS");
    await until("the lag is told", isTold);
    const told = await health();
    assert.match(told.sentences, /final block is 17[0-9] minutes older than its newest/);
    assert.ok(!told.reasons.includes("EVM_CONFIRMATIONS_LOW"), "the tag is not few confirmations");
    await anvil.mine(5);
    await until("the lag is gone", async () => !(await isTold()));
  });
  assert.match(
    warned,
    /the final block is 10\d{3} s older than the newest one: deals become final very late/,
  );
});

for (const [confirmations, isLow] of [
  ["11", true],
  ["12", false],
] as const)
  test(`${confirmations} confirmations are ${isLow ? "too few" : "enough"}`, async () => {
    const warned = await served("mainnet", confirmations, async (health) => {
      const { reasons, sentences } = await health();
      assert.equal(reasons.includes("EVM_CONFIRMATIONS_LOW"), isLow, reasons.join());
      assert.equal(sentences.includes(`EVM_CONFIRMATIONS is ${confirmations}`), isLow);
    });
    assert.equal(warned.includes("EVM_CONFIRMATIONS is"), isLow, warned);
  });

test("on simnet neither is told", async () => {
  await anvil.increaseTo(NOW_S + 10 * 3600);
  await served("simnet", "2", async (health) => {
    let looks = 0;
    await until("the EVM side was looked at", async () => {
      const { reasons } = await health();
      assert.deepEqual(
        reasons.filter((reason) => /EVM_(FINALITY|CONFIRMATIONS)/.test(reason)),
        [],
      );
      looks += 1;
      return looks > 20;
    });
  });
});
