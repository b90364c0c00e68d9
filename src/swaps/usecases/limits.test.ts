// What strangers may make the service do is bounded, and requests of one key run in order: hints (S-60), look-ups at
// our node (S-62), jobs of one key (S-40), fields of a body (S-06, H-46).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Bytes32, Outpoint, Txid } from "../../primitives/brands.ts";
import { parseFeeBps, parseOrigin } from "../../swap/forms.ts";
import type { FoundTransaction } from "../lookup-ports.ts";
import { KeyedLock } from "./dependencies.ts";
import { LockHints } from "./lock-hints.ts";
import { LimitedLookups } from "./lookups.ts";
import { optional, readFields, required } from "./read-fields.ts";
import { handClock } from "../../../testkit/doubles/clock.ts";

const DEAL = `0x${"d".repeat(64)}` as Bytes32;

function txid(n: number): Txid {
  return n.toString(16).padStart(64, "0") as Txid;
}

function deal(n: number): Bytes32 {
  return `0x${txid(n)}` as Bytes32;
}

const ME = "192.0.2.1";

function client(n: number): string {
  return `198.51.100.${n}`;
}

describe("S-60: hints", () => {
  test("four of a deal are kept, the fifth drops the oldest, the newest is judged", () => {
    const hints = new LockHints();
    for (let n = 1; n <= 5; n += 1) hints.add(DEAL, txid(n), 0, 100 + n);
    assert.deepEqual(
      hints.live(DEAL, 110).map((hint) => hint.txid),
      [2, 3, 4, 5].map(txid),
    );
    assert.equal(hints.newest(DEAL, 110)?.txid, txid(5));
    assert.equal(hints.newest(deal(1), 110), null);
  });

  test("each lives 30 minutes; given again it is the newest", () => {
    const hints = new LockHints();
    hints.add(DEAL, txid(1), 0, 1000);
    hints.add(DEAL, txid(2), 0, 1001);
    hints.add(DEAL, txid(1), 0, 1002);
    assert.equal(hints.newest(DEAL, 1002)?.txid, txid(1));
    assert.equal(hints.live(DEAL, 1002).length, 2);
    assert.equal(hints.live(DEAL, 1001 + 1799).length, 2);
    assert.equal(hints.live(DEAL, 1001 + 1800).length, 1);
    assert.equal(hints.newest(DEAL, 1002 + 1800), null);
  });
});

/** A node that answers when it is told to. */
class SlowNode {
  readonly asked: Txid[] = [];
  readonly #waiting: ((found: FoundTransaction | Error | null) => void)[] = [];

  transaction(id: Txid): Promise<FoundTransaction | null> {
    this.asked.push(id);
    return new Promise((resolve, reject) => {
      this.#waiting.push((found) => (found instanceof Error ? reject(found) : resolve(found)));
    });
  }

  answer(found: FoundTransaction | Error | null): void {
    this.#waiting.shift()?.(found);
  }
}

function lookups() {
  const node = new SlowNode();
  const time = { ms: 0 };
  const clock = handClock(() => time.ms);
  return { node, time, limited: new LimitedLookups(node, clock) };
}

describe("S-62: look-ups at our node", () => {
  test("one per deal, client and 5 s, whose answer is reused; another transaction has to wait", async () => {
    const { node, time, limited } = lookups();
    const first = limited.transaction(DEAL, txid(1), ME);
    node.answer(null);
    assert.deepEqual(await first, { kind: "absent" });
    time.ms = 4999;
    assert.deepEqual(await limited.transaction(DEAL, txid(1), ME), { kind: "absent" });
    assert.deepEqual(await limited.transaction(DEAL, txid(2), ME), { kind: "busy" });
    assert.equal(node.asked.length, 1);
    time.ms = 5000;
    const again = limited.transaction(DEAL, txid(2), ME);
    node.answer(null);
    assert.deepEqual(await again, { kind: "absent" });
    assert.deepEqual(node.asked, [txid(1), txid(2)]);
  });

  test("four in flight for the whole API, and an answer makes room", async () => {
    const { node, limited } = lookups();
    const four = [1, 2, 3, 4].map((n) => limited.transaction(deal(n), txid(n), client(n)));
    assert.deepEqual(await limited.transaction(deal(5), txid(5), client(5)), { kind: "busy" });
    node.answer(null);
    assert.deepEqual(await four[0], { kind: "absent" });
    const fifth = limited.transaction(deal(5), txid(5), client(5));
    for (let n = 0; n < 4; n += 1) node.answer(null);
    assert.deepEqual(await fifth, { kind: "absent" });
    assert.equal(node.asked.length, 5);
  });

  test("one in flight per client, whatever deals it asks for; another client is not kept waiting", async () => {
    const { node, limited } = lookups();
    const mine = limited.transaction(deal(1), txid(1), ME);
    assert.deepEqual(await limited.transaction(deal(2), txid(2), ME), { kind: "busy" });
    const theirs = limited.transaction(deal(1), txid(2), client(2));
    for (let n = 0; n < 2; n += 1) node.answer(null);
    assert.deepEqual([await mine, await theirs], [{ kind: "absent" }, { kind: "absent" }]);
    assert.deepEqual(node.asked, [txid(1), txid(2)]);
  });

  test("answers that are kept for being reused are bounded by their size: the oldest goes, and is not asked again", async () => {
    const { node, limited } = lookups();
    const large = {
      txid: txid(1),
      outputs: [],
      inputs: Array.from({ length: 150_000 }, () => `${txid(9)}:0` as Outpoint),
      coinbase: false,
      block: null,
    };
    for (const n of [1, 2]) {
      const asked = limited.transaction(DEAL, txid(n), client(n));
      node.answer(large);
      assert.equal((await asked).kind, "found");
    }
    assert.equal((await limited.transaction(DEAL, txid(1), client(1))).kind, "busy");
    assert.equal((await limited.transaction(DEAL, txid(2), client(2))).kind, "found");
    assert.equal(node.asked.length, 2);
  });

  test("answers that come when nothing can reuse them any more leave all the room for others", async () => {
    const { node, time, limited } = lookups();
    const found = (inputs: number): FoundTransaction => ({
      txid: txid(1),
      outputs: [],
      inputs: Array.from({ length: inputs }, () => `${txid(9)}:0` as Outpoint),
      coinbase: false,
      block: null,
    });
    for (const n of [1, 2]) {
      const late = limited.transaction(DEAL, txid(n), client(n));
      time.ms += 5000;
      const other = limited.transaction(DEAL, txid(9), ME);
      node.answer(found(150_000));
      node.answer(null);
      assert.deepEqual([(await late).kind, (await other).kind], ["found", "absent"]);
      time.ms += 5000;
    }
    const asked = limited.transaction(DEAL, txid(3), ME);
    node.answer(found(1));
    assert.equal((await asked).kind, "found");
    assert.equal((await limited.transaction(DEAL, txid(3), ME)).kind, "found");
  });

  test("a node that does not answer is no node without the transaction", async () => {
    const { node, limited } = lookups();
    const asked = limited.transaction(DEAL, txid(1), ME);
    node.answer(new Error("down"));
    assert.deepEqual(await asked, { kind: "unavailable" });
  });
});

describe("S-40: jobs of one key", () => {
  test("run one after the other in their order, also after one that fails; other keys do not wait", async () => {
    const locks = new KeyedLock();
    const done: string[] = [];
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const first = locks.run("a", async () => {
      await gate;
      done.push("a1");
      throw new Error("a1 failed");
    });
    const second = locks.run("a", async () => void done.push("a2"));
    await locks.run("b", async () => void done.push("b1"));
    assert.deepEqual(done, ["b1"]);
    open();
    await assert.rejects(first, /a1 failed/);
    await second;
    assert.deepEqual(done, ["b1", "a1", "a2"]);
  });
});

describe("S-06, H-46: fields of a body", () => {
  const shape = { origin: required(parseOrigin), fee_bps: optional(parseFeeBps) };

  test("null counts as absent, unknown fields are ignored", () => {
    const read = readFields({ origin: "a", fee_bps: null, more: 1 }, shape);
    assert.ok(read.ok);
    assert.deepEqual(read.value, { origin: "a", fee_bps: null });
  });

  test("every bad field is named at once", () => {
    const read = readFields({ origin: null, fee_bps: "1" }, shape);
    assert.ok(!read.ok);
    assert.deepEqual(Object.keys(read.error.details), ["origin", "fee_bps"]);
  });
});
