// A filter finds the keys that fit its address, and no other, without looking at known keys twice (S-14, H-40).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pointKey } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { swapCrypto } from "../../adapters/system/swap-crypto.ts";
import { addressOfKey } from "../../primitives/address.ts";
import type { Bytes32, PearlAddress } from "../../primitives/brands.ts";
import { bytesToHex } from "../../primitives/hex.ts";
import { fromBytes32, taggedHash, type SwapCrypto } from "../../swap/crypto.ts";
import { ZERO_BYTES32 } from "../../swap/terms.ts";
import { TaprootKeyIndex } from "./taproot-key-index.ts";
import { handClock } from "../../../testkit/doubles/clock.ts";

const HRP = "rprl";
const KEYS = Array.from({ length: 70 }, (_none, index) => pointKey(`key ${index}`));
const [FIRST = ZERO_BYTES32, SECOND = ZERO_BYTES32, THIRD = ZERO_BYTES32] = KEYS;

/** Programs with this crypto, and how often it tweaked and let others work. */
function scene(crypto: SwapCrypto = swapCrypto) {
  const counts = { tweaks: 0, breaths: 0 };
  const counting: SwapCrypto = {
    ...crypto,
    tweakAdd: (key, tweak) => {
      counts.tweaks += 1;
      return crypto.tweakAdd(key, tweak);
    },
  };
  const sleep = async (): Promise<void> => {
    counts.breaths += 1;
  };
  const programs = new TaprootKeyIndex(counting, { ...handClock(() => 0), sleep });
  const found = (address: PearlAddress): readonly Bytes32[] => [...programs.keysOf(address)];
  return { programs, counts, found };
}

/** The address of a key's BIP86 program. */
function walletAddress(key: Bytes32, crypto: SwapCrypto = swapCrypto): PearlAddress {
  const bytes = fromBytes32(key);
  const tweaked = crypto.tweakAdd(bytes, taggedHash("TapTweak", bytes, crypto.sha256));
  assert.ok(tweaked !== null);
  return addressOfKey(bytesToHex(tweaked.key), HRP);
}

describe("keys of an address", () => {
  test("each key is tweaked once, in slices, however often it is told and asked for", async () => {
    const { programs, counts } = scene();
    for (const key of [...KEYS, ...KEYS]) programs.add(key);
    assert.equal(counts.tweaks, 0, "nothing before the first filter");
    await programs.prepare();
    assert.deepEqual(counts, { tweaks: 70, breaths: 2 });
    await programs.prepare();
    for (const key of KEYS) programs.add(key);
    await programs.prepare();
    assert.deepEqual(counts, { tweaks: 70, breaths: 2 });
    programs.add(pointKey("another"));
    await programs.prepare();
    assert.equal(counts.tweaks, 71);
  });

  test("two filters at once: both have all keys before they go on", async () => {
    const { programs, counts } = scene();
    for (const key of KEYS) programs.add(key);
    const seen: number[] = [];
    const one = async (): Promise<void> => {
      await programs.prepare();
      seen.push(counts.tweaks);
    };
    await Promise.all([one(), one(), one()]);
    assert.deepEqual(seen, [70, 70, 70]);
  });

  test("S-14: the key itself and its tweak fit; a key that nobody told is not there", async () => {
    const { programs, found } = scene();
    for (const key of [FIRST, SECOND]) programs.add(key);
    await programs.prepare();
    for (const key of [FIRST, SECOND]) {
      assert.deepEqual(found(walletAddress(key)), [key]);
      assert.deepEqual(found(addressOfKey(key.slice(2), HRP)), [key]);
    }
    assert.deepEqual(found(walletAddress(THIRD)), []);
    assert.deepEqual(found(addressOfKey(THIRD.slice(2), HRP)), []);
    assert.deepEqual([programs.has(FIRST), programs.has(THIRD)], [true, false]);
  });

  test("a key that came after the preparation is found all the same", async () => {
    const { programs, found } = scene();
    programs.add(FIRST);
    await programs.prepare();
    for (const key of [SECOND, THIRD]) programs.add(key);
    assert.deepEqual(found(walletAddress(SECOND)), [SECOND]);
  });

  test("S-14: no address has the zero key, or one that is no point", async () => {
    const { programs, found } = scene();
    const noPoint = `0x${"f".repeat(64)}` as Bytes32;
    for (const key of [ZERO_BYTES32, noPoint]) programs.add(key);
    await programs.prepare();
    for (const key of [ZERO_BYTES32, noPoint]) assert.deepEqual(found(addressOfKey(key.slice(2), HRP)), []);
  });

  test("keys whose programs begin with the same 48 bits hide each other nowhere", async () => {
    const crypto: SwapCrypto = {
      ...swapCrypto,
      tweakAdd: (key, tweak) => {
        const tweaked = swapCrypto.tweakAdd(key, tweak);
        return tweaked === null ? null : { ...tweaked, key: Uint8Array.from(tweaked.key).fill(7, 0, 6) };
      },
    };
    const { programs, found } = scene(crypto);
    for (const key of KEYS) programs.add(key);
    await programs.prepare();
    for (const key of KEYS) assert.deepEqual(found(walletAddress(key, crypto)), [key]);
  });

  test("a quarter of a million keys wait for the first filter, and those that are left go on waiting", () => {
    const first = fromBytes32(FIRST);
    const { programs, found } = scene({
      ...swapCrypto,
      // The others need no curve: nobody looks for them.
      tweakAdd: (key, tweak) => (Buffer.compare(key, first) === 0 ? swapCrypto.tweakAdd(key, tweak) : null),
    });
    const many = Array.from(
      { length: 250_000 },
      (_none, n) => `0x${n.toString(16).padStart(64, "0")}` as Bytes32,
    );
    for (const key of [...many, FIRST]) programs.add(key);
    programs.keepOnly(new Set([...many.slice(0, 200_000), FIRST]));
    assert.equal(programs.size, 200_001);
    assert.deepEqual(found(walletAddress(FIRST)), [FIRST]);
  });
});
