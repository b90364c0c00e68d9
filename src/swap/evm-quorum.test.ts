// One RPC that lies decides neither what is final nor which log stands (S-07, S-08): for all answers.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../testkit/properties.ts";
import type { Bytes32 } from "../primitives/brands.ts";
import {
  agreedHash,
  comparedHeight,
  type FinalWord,
  isAgreementSettled,
  logStanding,
  lowerWord,
} from "./evm-quorum.ts";

const height = fc.integer({ min: -1, max: 1_000_000 });
const hash = fc.constantFrom("a", "b", "c").map((digit) => `0x${digit.repeat(64)}` as Bytes32);
const honest = `0x${"f".repeat(64)}` as Bytes32;
const word: fc.Arbitrary<FinalWord> = fc.record({ height, hash });

describe("S-07: the final height in force", () => {
  test("of one RPC is never above either of its last two answers", () => {
    fc.assert(
      fc.property(word, word, (older, newer) => {
        const chosen = lowerWord(older, newer);
        assert.ok(chosen.height <= older.height && chosen.height <= newer.height);
        assert.ok(chosen === older || chosen === newer);
      }),
    );
  });

  test("of several is between what honest ones say, whatever one liar says", () => {
    fc.assert(
      fc.property(fc.array(height, { minLength: 1, maxLength: 5 }), height, (heights, lie) => {
        const compared = comparedHeight([...heights, lie]);
        assert.ok(compared !== null && compared <= Math.max(...heights));
        if (heights.length >= 2) assert.ok(compared >= Math.min(...heights));
      }),
    );
    assert.equal(comparedHeight([7]), null);
    assert.equal(comparedHeight([]), null);
  });

  test("one liar makes no hash of its own the agreed one, and prevents none where two are honest", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.option(hash), fc.nat(4), (honestOnes, lie, at) => {
        const hashes: (Bytes32 | null)[] = Array.from({ length: honestOnes }, () => honest);
        hashes.splice(Math.min(at, honestOnes), 0, lie);
        assert.equal(agreedHash(hashes), honestOnes >= 2 ? honest : null);
      }),
    );
  });

  test("is known before all have answered only where no answer still to come can change it", () => {
    fc.assert(
      fc.property(fc.array(fc.option(hash), { maxLength: 5 }), fc.nat(5), (hashes, at) => {
        const [known, toCome] = [hashes.slice(0, at), hashes.slice(at)];
        if (!isAgreementSettled(known, toCome.length)) return;
        assert.equal(agreedHash(hashes), agreedHash(known));
      }),
    );
    assert.equal(isAgreementSettled([honest, honest], 1), true, "two of three");
    assert.equal(isAgreementSettled([honest, null, honest], 1), true, "two of four, of which one is behind");
    assert.equal(isAgreementSettled([honest], 1), false);
    assert.equal(isAgreementSettled([honest, honest], 2), false, "the other two may agree on another one");
  });

  test("two pairs that contradict each other agree on nothing", () => {
    const [a, b] = [`0x${"a".repeat(64)}` as Bytes32, `0x${"b".repeat(64)}` as Bytes32];
    assert.equal(agreedHash([a, b, a, b]), null);
    assert.equal(agreedHash([a, b, a]), a);
    assert.equal(agreedHash([null, null, a]), null);
  });
});

describe("S-07, S-08: a log", () => {
  const count = fc.nat(5);

  test("that two show and at most one denies is shown; that nobody shows, or two deny, is not", () => {
    fc.assert(
      fc.property(count, count, (shows, lacks) => {
        const standing = logStanding({ shows, lacks }, 2);
        if (standing === "shown") assert.ok(shows >= 2 && lacks < 2);
        if (standing === "gone") assert.ok(shows === 0 || lacks >= 2);
        if (standing === "disputed") assert.ok(shows > 0 && lacks > 0);
        if (standing === "unknown") assert.ok(shows < 2 && lacks === 0);
      }),
    );
  });

  test("one liar among others decides against two honest ones in neither direction", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 4 }), fc.boolean(), (honestOnes, isThere) => {
        const truth = isThere ? { shows: honestOnes, lacks: 1 } : { shows: 1, lacks: honestOnes };
        assert.equal(logStanding(truth, 2), isThere ? "shown" : "gone");
      }),
    );
  });

  test("of a single RPC is what it says now", () => {
    assert.equal(logStanding({ shows: 1, lacks: 0 }, 1), "shown");
    assert.equal(logStanding({ shows: 0, lacks: 1 }, 1), "gone");
    assert.equal(logStanding({ shows: 0, lacks: 0 }, 1), "unknown");
    assert.equal(logStanding({ shows: 1, lacks: 1 }, 2), "disputed");
  });
});
