// When what is indexed is left because others do not have it: by two RPCs of the final chain, after a while.

import assert from "node:assert/strict";
import { test } from "node:test";
import { handClock, settle } from "../../../testkit/doubles/clock.ts";
import { blocksAlone, silentSource } from "../../../testkit/doubles/evm-source.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import type { EvmBlock, EvmSource } from "./evm-chain.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import { UnsharedLead } from "./evm-unshared-lead.ts";

const hashOf = (text: string): Bytes32 => `0x${text.padEnd(64, "0")}` as Bytes32;
const FINAL = { height: 100, hash: hashOf("f1a1"), time: 1000 };
const [HEIGHT, WAIT_MS] = [5000, 3000];

/** An RPC whose chain ends there; with another block than the final one where `final` says so. */
function rpc(head: number, final: Bytes32 = FINAL.hash): EvmSource {
  const blockAt = (number: number): EvmBlock | null => {
    const rest = { parentHash: hashOf("0"), time: 1000, transactions: [], mayHoldLogs: false };
    return number > head ? null : { number, hash: number === FINAL.height ? final : hashOf("0e"), ...rest };
  };
  return blocksAlone(blockAt);
}

/** Whether the block is left at once, and whether it is after so many milliseconds. */
async function left(sources: readonly EvmSource[], afterMs: number): Promise<readonly boolean[]> {
  let ms = 0;
  const lead = new UnsharedLead({ sources, clock: handClock(() => ms) }, WAIT_MS);
  const atOnce = await lead.isLeft(HEIGHT, FINAL);
  ms = afterMs;
  return [atOnce, await lead.isLeft(HEIGHT, FINAL)];
}

test("A-135: it is left where two RPCs with the final block have not had it for a while", async () => {
  assert.deepEqual(await left([rpc(HEIGHT), rpc(120), rpc(121)], WAIT_MS), [false, true]);
  assert.deepEqual(await left([rpc(HEIGHT), rpc(120), rpc(121)], WAIT_MS - 1), [false, false]);
});

test("A-135: neither one that is behind, nor one of another chain, nor one that is silent is the second", async () => {
  for (const other of [rpc(HEIGHT), rpc(99), rpc(120, hashOf("0ca")), silentSource])
    assert.deepEqual(await left([rpc(HEIGHT), rpc(120), other], WAIT_MS), [false, false]);
});

test("A-135: the only RPC, which has ended below before, is waited for", async () => {
  assert.deepEqual(await left([rpc(120)], WAIT_MS), [false, false]);
});

test("A-135: one that hangs is not waited for where two lack the block, and once where they do not", async () => {
  const time = { ms: 0 };
  let answer = Promise.withResolvers<never>();
  const hangs: EvmSource = {
    ...silentSource,
    blocksAt: () => {
      answer = Promise.withResolvers<never>();
      return answer.promise;
    },
  };
  const leftBy = async (others: readonly EvmSource[]) => {
    const lead = new UnsharedLead({ sources: [hangs, ...others], clock: handClock(() => time.ms) }, WAIT_MS);
    await lead.isLeft(HEIGHT, FINAL);
    time.ms += WAIT_MS;
    return async (): Promise<boolean | "waiting"> => {
      const found = lead.isLeft(HEIGHT, FINAL);
      const first = await Promise.race([found, settle().then(() => "waiting" as const)]);
      if (first !== "waiting") return first;
      time.ms += 10_000;
      answer.reject(new EvmUnavailable("TIMEOUT", "it hangs"));
      assert.equal(await found, false);
      return first;
    };
  };
  const ofTwo = await leftBy([rpc(120), rpc(121)]);
  assert.equal(await ofTwo(), true);
  const ofOne = await leftBy([rpc(120), rpc(HEIGHT)]);
  assert.deepEqual([await ofOne(), await ofOne(), await ofOne()], ["waiting", false, false]);
});
