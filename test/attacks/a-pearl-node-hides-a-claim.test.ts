// The followed PEARL node hides the buyer's claim, by a branch of its own or by standing still, until the buyer may have his
// USDC back: the seller learns the secret from nobody else, and has neither (S-04, S-13). Another node has the claim.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { concatBytes } from "../../src/primitives/bytes.ts";
import { bytesOf } from "../../testkit/bytes.ts";
import { bytes32, pointKey, secretOf } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  locked as lockedOrder,
  ORDER,
  scene,
  scriptOf,
} from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { settle } from "../../testkit/doubles/clock.ts";
import { certificateLength, HEADER_BYTES } from "../../testkit/doubles/pearl-node/block-codec.ts";
import { coinbaseInput, key, sign, txidOf } from "../../testkit/doubles/pearl-node/test-wallet.ts";
import { liar } from "../swaps-pearl/liar.ts";
import { claimOf, LATE_S, locked, lockedAside, lookLate, lookNow, orderOf } from "./hidden-claim-stage.ts";
import type { PearlStage } from "./pearl-stage.ts";

/** An order that is not known yet, as its script and spends are. */
async function lateOrder() {
  const { ledger } = await scene();
  await ledger.applyEvm(evm(9, [lockedOrder("b", 9), accepted("b", 9)]));
  return { ledger, script: scriptOf(ledger, bytes32("order b")) };
}

/** A block (raw) with a million transactions more, as no rule of the network lets be. */
function swollen(raw: Uint8Array): Uint8Array {
  const countAt = (certificateLength(raw) ?? 0) + HEADER_BYTES;
  const one = Uint8Array.from([
    2,
    0,
    0,
    0,
    1,
    ...new Uint8Array(36).fill(7),
    0,
    0,
    0,
    0,
    0,
    1,
    ...new Uint8Array(8),
    0,
    0,
    0,
    0,
    0,
  ]);
  const more = Buffer.alloc(one.length * 200_000, one);
  const count = Buffer.alloc(5, 0xfe);
  count.writeUInt32LE((raw[countAt] ?? 0) + 200_000, 1);
  return concatBytes(raw.subarray(0, countAt), count, raw.subarray(countAt + 1), more);
}

describe("S-13: a claim that the followed node hides and another one shows", () => {
  test("is told to the seller where the followed one has a branch as high without it", async () => {
    const { stage, followed, other, claim } = await locked();
    other.mine([claim]);
    followed.mine([], 1);
    await lookLate(stage);
    const { actions, status } = await stage.told();
    assert.ok(actions.includes("claim_usdc"), actions.join());
    assert.equal(status, "USDC_CLAIMABLE");
    const subject = stage.scene.ledger.subject(ORDER);
    assert.equal(subject?.secret?.secret, secretOf("a").secret);
    assert.equal([...subject.outputs][0]?.spend, null, "the spend itself is what the followed node says");
  });

  test("is told to the seller where the followed one stands still", async () => {
    const { stage, other, claim } = await locked();
    other.mineEmpty(3);
    other.mine([claim]);
    other.mineEmpty(3);
    for (let looks = 0; looks < 5; looks += 1) await lookLate(stage);
    const { actions } = await stage.told();
    assert.ok(actions.includes("claim_usdc"), actions.join());
  });

  test("is told once, however many claims another node makes up, and no other order's secret with it", async () => {
    const { stage, followed, other, lock, bodies } = await locked();
    const { ledger } = stage.scene;
    await ledger.applyEvm(evm(9, [lockedOrder("b", 9), accepted("b", 9)]));
    followed.mine([], 1);
    for (const value of [20_000n, 21_000n, 22_000n]) {
      const claim = claimOf(orderOf(stage), lock.txid, value, ["b", "a"]);
      other.invented.add(txidOf(claim));
      other.mine([claim]);
    }
    for (let looks = 0; looks < 3; looks += 1) await lookLate(stage);
    assert.equal(bodies.length, 3);
    assert.equal(ledger.preimageOf(secretOf("a").hashlock)?.shownBy.length, 1);
    assert.equal(ledger.preimageOf(secretOf("b").hashlock), null);
    assert.equal(stage.lines.filter((line) => line.includes("shows a secret")).length, 1);
  });

  test("is none where it spends a script that no order has, whatever it is made of", async () => {
    const { stage, followed, other, lock } = await locked();
    const changes = { buyerKey: pointKey("somebody") };
    const foreign = claimOf(orderOf(stage), lock.txid, 20_000n, ["a"], changes);
    other.invented.add(txidOf(foreign));
    other.mine([foreign]);
    followed.mine([], 1);
    for (let looks = 0; looks < 3; looks += 1) await lookLate(stage);
    assert.equal(stage.scene.ledger.preimageOf(secretOf("a").hashlock), null);
  });

  test("is looked for in blocks alone that stay away, and in each once", async () => {
    const { stage, followed, other, claim, bodies } = await locked();
    other.mine([claim]);
    await lookNow(stage);
    stage.pass(LATE_S - 2);
    await lookNow(stage);
    followed.mine([], 1);
    assert.deepEqual(bodies, [], "the followed node may be about to have it");
    for (let looks = 0; looks < 3; looks += 1) await lookLate(stage);
    assert.equal(bodies.length, 1);
    followed.invented.add(txidOf(claim));
    followed.takeFrom(other);
    other.mineEmpty(1);
    followed.takeFrom(other);
    await lookLate(stage);
    assert.equal(bodies.length, 1, "what both have is read from the followed one");
  });

  test("is found although the other node gave another block in its place at first", async () => {
    const said = { isLying: true };
    const { stage, followed, other, claim } = await locked((node) =>
      liar(node, {
        rawBlock: async (hash) => {
          const raw = await node.rawBlock(hash);
          return said.isLying ? raw.with(200, (raw[200] ?? 0) ^ 1) : raw;
        },
      }),
    );
    other.mine([claim]);
    followed.mine([], 1);
    await lookLate(stage);
    assert.equal((await stage.told()).status, "PEARL_LOCKED");
    said.isLying = false;
    await lookLate(stage);
    assert.equal((await stage.told()).status, "USDC_CLAIMABLE");
  });

  test("is told to the seller where the followed one never ends an answer", async () => {
    const hanging = { is: false };
    const hang = async <Value>(answer: () => Promise<Value>): Promise<Value> =>
      hanging.is ? new Promise<never>(() => undefined) : answer();
    const { stage, followed, other, claim } = await locked(
      (node) => node,
      (node) =>
        liar(node, {
          rawBlock: (hash) => hang(() => node.rawBlock(hash)),
          rawHeaders: (hashes) => hang(() => node.rawHeaders(hashes)),
        }),
    );
    stage.knobs.sleep = () => new Promise((resolve) => setImmediate(resolve));
    hanging.is = true;
    const stop = new AbortController();
    void stage.watch.run(stop.signal);
    followed.mine([], 1);
    other.mine([claim]);
    for (let looks = 0; looks < 3; looks += 1) {
      stage.pass(LATE_S);
      await stage.look();
      for (let turn = 0; turn < 20; turn += 1) await settle();
    }
    stop.abort();
    assert.notEqual(stage.scene.ledger.preimageOf(secretOf("a").hashlock), null);
    const [told] = stage.watch.conditions();
    assert.equal(told?.code, "SWAPS_STALLED", "and whoever runs the service is told");
  });

  test("is told although the lock is hidden, too, and a stranger has paid the script ten thousand times since", async () => {
    const { stage, followed, other, ...hidden } = await lockedAside();
    const dust = Array.from({ length: 1000 }, () => ({ script: bytesOf(stage.script), value: 600n }));
    for (let block = 0; block < 11; block += 1) {
      const paid = sign({ inputs: [coinbaseInput(other.core, 20 + block, key(1))], outputs: dust });
      other.invented.add(txidOf(paid));
      other.mine([paid]);
    }
    followed.mineEmpty(11, 1);
    for (let looks = 0; looks < 15; looks += 1) await lookLate(stage);
    other.mine([hidden.claim]);
    for (let looks = 0; looks < 3; looks += 1) await lookLate(stage);
    assert.notEqual(stage.scene.ledger.preimageOf(secretOf("a").hashlock), null);
  });

  test("is told although the lock is hidden, too, a hundred blocks below, and the service was started since", async () => {
    const { stage, followed, other, claim } = await lockedAside();
    for (const [chain, branch] of [
      [followed, 1],
      [other, 0],
    ] as const)
      chain.mineEmpty(110, branch);
    await lookLate(stage);
    stage.restart();
    other.mine([claim]);
    for (let looks = 0; looks < 90; looks += 1) await lookLate(stage);
    assert.notEqual(stage.scene.ledger.preimageOf(secretOf("a").hashlock), null);
  });

  test("is told by a node that is silent again and again, and is asked for one block at a time", async () => {
    const asked: string[] = [];
    let isHanging = true;
    const { stage, followed, other, claim } = await locked((node) =>
      liar(node, {
        rawBlock: (hash) => {
          asked.push(hash);
          return isHanging ? new Promise<never>(() => undefined) : node.rawBlock(hash);
        },
      }),
    );
    const goOn = async (): Promise<void> => {
      for (const [seconds, places] of [
        [20, [0, 1]],
        [20, [0]],
        [20, [0]],
      ] as const) {
        for (const place of places) await stage.nodes?.look(place);
        await stage.follow();
        await settle();
        stage.pass(seconds);
      }
    };
    other.mine([claim]);
    followed.mine([], 1);
    isHanging = false;
    for (let times = 0; times < 3; times += 1) await goOn();
    assert.equal((await stage.told()).status, "USDC_CLAIMABLE");
    asked.length = 0;
    isHanging = true;
    other.mineEmpty(4);
    for (let times = 0; times < 5; times += 1) await goOn();
    assert.equal(asked.length, 1);
  });

  test("is told although the other node takes longer over a block before it than such a block is waited for", async () => {
    const lost = new Set<string>();
    const waited = { for: (): void => undefined };
    const { stage, followed, other, claim } = await locked((node) =>
      liar(node, {
        rawBlock: (hash) => {
          if (!lost.has(hash)) return node.rawBlock(hash);
          waited.for();
          return Promise.reject(new Error("no answer"));
        },
      }),
    );
    waited.for = () => stage.pass(LATE_S);
    other.mineEmpty(1);
    lost.add(other.core.chain.tip.hash);
    other.mine([claim]);
    followed.mine([], 1);
    for (let looks = 0; looks < 3; looks += 1) await lookLate(stage);
    assert.equal((await stage.told()).status, "USDC_CLAIMABLE");
  });

  for (const [when, setKnown] of [
    [
      "before the EVM index has caught up",
      ({ knobs }: PearlStage, are: boolean) => {
        knobs.areOrdersKnown = are;
      },
    ],
    [
      "while no EVM RPC answers",
      ({ scene: { outside } }: PearlStage, are: boolean) => {
        outside.evmSilentS = are ? 0 : 31;
      },
    ],
  ] as const)
    test(`is told where its block was read before its order was known, ${when}`, async () => {
      const { stage, followed, other } = await locked();
      setKnown(stage, false);
      const { ledger } = stage.scene;
      const late = await lateOrder();
      const lock = other.payment(30, late.script);
      const claim = claimOf(late, lock.txid, 20_000n, ["b"]);
      other.invented.add(txidOf(claim));
      other.mine([lock.raw]);
      other.mine([claim]);
      followed.mineEmpty(2, 1);
      for (let looks = 0; looks < 3; looks += 1) await lookLate(stage);
      await ledger.applyEvm(evm(9, [lockedOrder("b", 9), accepted("b", 9)]));
      setKnown(stage, true);
      for (let looks = 0; looks < 3; looks += 1) await lookLate(stage);
      assert.notEqual(ledger.preimageOf(secretOf("b").hashlock), null);
    });

  test("is not looked for in what no network has as a block: a million transactions would hold the service up", async () => {
    const said = { isLying: true };
    const { stage, followed, other, claim } = await locked((node) =>
      liar(node, {
        rawBlock: async (hash, mostBytes = Infinity) => {
          const raw = await node.rawBlock(hash);
          if (!said.isLying) return raw;
          const more = swollen(raw);
          return more.length > mostBytes ? Promise.reject(new Error("too long an answer")) : more;
        },
      }),
    );
    other.mine([claim]);
    followed.mine([], 1);
    await lookLate(stage);
    const before = stage.knobs.hashes;
    await lookLate(stage);
    assert.ok(stage.knobs.hashes - before < 1000, `${stage.knobs.hashes - before} hashes`);
    said.isLying = false;
    await lookLate(stage);
    assert.equal((await stage.told()).status, "USDC_CLAIMABLE");
  });
});
