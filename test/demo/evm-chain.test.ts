// The demo's EVM chain comes back, block for block, however the process ended; and a chain that cannot come back is
// told apart from one that can.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Hex } from "viem";
import { EvmChain } from "../../demo/swaps/evm-chain.ts";
import { EvmChainLost } from "../../demo/swaps/evm-journal.ts";

const GENESIS = 1_800_000_000;

/** Blocks with a payment in every third one. */
async function grow(of: EvmChain, blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block += 1) {
    if (block % 3 === 0) await of.send(of.anvil.account(1), { to: of.anvil.account(2).address, data: "0x" });
    await of.mine(of.tip.time + 194);
  }
}

/** As many bytes, hex, that no compression makes smaller. */
function noise(bytes: number): Hex {
  return `0x${createHash("shake256", { outputLength: bytes }).update("noise").digest("hex")}`;
}

describe("the demo's EVM chain", () => {
  let folder = "";
  let chain: EvmChain | null = null;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "strand-evm-"));
  });
  afterEach(async () => {
    await chain?.close();
    chain = null;
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(): Promise<EvmChain> {
    chain = await EvmChain.open(folder, GENESIS);
    return chain;
  }

  function journal(): string {
    const name = readdirSync(folder).find((each) => each.startsWith("journal-"));
    assert.ok(name);
    return join(folder, name);
  }

  test("comes back with the same hashes after an end without a word, reorganisations and saved states included", async () => {
    const first = await open();
    await grow(first, 8);
    await first.reorganise(2);
    await grow(first, 200);
    const { tip } = first;
    assert.equal(readdirSync(folder).filter((name) => name.startsWith("state-")).length, 1);
    // As after SIGKILL: the node is gone, nothing was said to the journal.
    await first.anvil.stop();
    // A line that was being written when the process died: its block was never made.
    appendFileSync(journal(), '{"parent":"0x');
    const again = await open();
    assert.deepEqual(again.tip, tip);
    const [old, final] = await Promise.all([
      again.anvil.publicClient.getBlock({ blockNumber: 1n }),
      again.anvil.publicClient.getBlock({ blockTag: "finalized" }),
    ]);
    assert.equal(old.transactions.length, 1);
    assert.equal(final.number, (await again.anvil.publicClient.getBlockNumber()) - 2n);
    await grow(again, 2);
    await again.close();
    assert.deepEqual((await open()).tip, again.tip);
  });

  test("comes back however large its state is: hours of swaps are more than the two megabytes that anvil takes by default", async () => {
    const first = await open();
    for (const index of [7, 8, 9])
      await first.anvil.rpc("anvil_setCode", [first.anvil.account(index).address, noise(600_000)]);
    await grow(first, 201);
    const { tip } = first;
    const state = readdirSync(folder).find((name) => name.startsWith("state-")) ?? "";
    assert.ok(statSync(join(folder, state)).size > 2 * 1024 * 1024);
    await first.close();
    assert.deepEqual((await open()).tip, tip);
  });

  test("comes back with what others have sent to the node, whoever they are", async () => {
    const first = await open();
    await grow(first, 3);
    const to = first.anvil.account(2).address;
    const [ours, theirs, later] = [1, 5, 6].map((index) => first.anvil.account(index));
    assert.ok(ours && theirs && later);
    const waits = async (account: typeof theirs): Promise<Hex> =>
      first.anvil.walletClient(account).sendTransaction({ to, value: 7n, gas: 21_000n });
    const before = await waits(theirs);
    await first.send(ours, { to, data: "0x" });
    const after = await waits(later);
    await first.mine(first.tip.time + 194);
    await grow(first, 2);
    const { tip } = first;
    await first.anvil.stop();
    const again = await open();
    assert.deepEqual(again.tip, tip);
    const { transactions } = await again.anvil.publicClient.getBlock({ blockNumber: 4n });
    assert.equal(transactions.length, 3);
    assert.deepEqual([transactions[0], transactions[2]], [before, after]);
  });

  test("a reorganisation brings other blocks, one more, and no older time", async () => {
    const only = await open();
    await grow(only, 5);
    const { tip } = only;
    await only.reorganise(2);
    assert.equal(await only.anvil.publicClient.getBlockNumber(), 6n);
    const replaced = await only.anvil.publicClient.getBlock({ blockNumber: 4n });
    assert.ok(replaced.timestamp > tip.time);
    assert.equal(replaced.transactions.length, 0);
    assert.equal(only.canReplace(6), false);
  });

  test("files that do not give the chain back are named", async () => {
    const first = await open();
    await grow(first, 4);
    await first.close();
    const path = journal();
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.split("\n").slice(1).join("\n"));
    await assert.rejects(
      open(),
      (error) => error instanceof EvmChainLost && /does not fit/.test(error.message),
    );
    writeFileSync(path, `nonsense\n${text}`);
    await assert.rejects(open(), (error) => error instanceof EvmChainLost && /line 1/.test(error.message));
    writeFileSync(join(folder, "state-00000000.json"), "{}");
    await assert.rejects(
      open(),
      (error) => error instanceof EvmChainLost && /holds no state/.test(error.message),
    );
  });
});
