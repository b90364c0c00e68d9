// A lock is spent in a transaction of which another input has a million witness items, as an output of an unknown witness
// version lets pass for whoever has a miner. What stands beside the spend of a lock is walked over, and not laid out.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sha256d } from "../../src/adapters/system/hashes.ts";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { readWholeTransaction } from "../../src/chain/watch-transaction.ts";
import { concatBytes } from "../../src/primitives/bytes.ts";
import type { Outpoint } from "../../src/primitives/brands.ts";
import { FoundOutputs, PearlMatcher } from "../../src/swaps/pearl/pearl-matcher.ts";
import { bytesOf } from "../../testkit/bytes.ts";
import { secretOf } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  locked,
  ORDER,
  scene,
  scriptOf,
} from "../../testkit/builders/swap-ledger/ledger-scene.ts";

/** Bytes that tell how often a piece was cut out of them. */
class CountedBytes extends Uint8Array {
  cuts = 0;

  override subarray(begin?: number, end?: number): Uint8Array<ArrayBuffer> {
    this.cuts += 1;
    return new Uint8Array(this.buffer, this.byteOffset).subarray(begin, end);
  }
}

const OTHER_ITEMS = 1_000_000;
const LOCK = `${"11".repeat(32)}:0` as Outpoint;

/** An input that spends the first output of a transaction whose id is of this byte. */
function input(byte: number): Uint8Array {
  return Uint8Array.of(...Array<number>(32).fill(byte), 0, 0, 0, 0, 0, 9, 0, 0, 0);
}

/** Spends an outpoint of this byte by a witness that shows the secret, behind another input with a million empty items. */
function spendOf(secret: Uint8Array): CountedBytes {
  const count = Buffer.alloc(5, 0xfe);
  count.writeUInt32LE(OTHER_ITEMS, 1);
  return CountedBytes.from(
    concatBytes(
      Uint8Array.of(2, 0, 0, 0, 0, 1, 2),
      input(0x22),
      input(0x11),
      Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
      count,
      new Uint8Array(OTHER_ITEMS),
      Uint8Array.of(1, 32),
      secret,
      new Uint8Array(4),
    ),
  ) as CountedBytes;
}

describe("S-15: a lock that is spent beside a million witness items", () => {
  test("costs what it would cost alone, and shows its secret", async () => {
    const { ledger } = await scene();
    await ledger.applyEvm(evm(9, [locked("a", 9), accepted("a", 9)]));
    const script = ledger.watch.script(scriptOf(ledger, ORDER));
    assert.ok(script !== null);
    const found = new FoundOutputs();
    found.add(LOCK, { script, isDust: false });
    const { secret, hashlock } = secretOf("a");
    const raw = spendOf(bytesOf(secret.slice(2)));
    const read = readWholeTransaction(raw, sha256d);
    assert.ok(read.ok, JSON.stringify(read));
    raw.cuts = 0;
    const { secrets, spends } = new PearlMatcher(ledger.watch, swapCrypto, found).inputs(read.value);
    assert.deepEqual([secrets[0]?.hashlock, spends[0]?.outpoint], [hashlock, LOCK]);
    assert.ok(raw.cuts < 100, `${raw.cuts} pieces`);
  });
});
