// A client fills bodies, paths and queries with hex digits, plain, escaped and in the worst mixture. The search for
// secrets (S-66) stays cheap: a bounded number of windows is hashed, in pieces between which others are served.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MultiIndex } from "../../src/swaps/ledger/multi-index.ts";
import type { Bytes32 } from "../../src/primitives/brands.ts";
import { bytes32 } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { guardedService } from "../../testkit/builders/swap-ledger/guarded-service.ts";
import { harness, richIndex } from "../http/harness.ts";

const BODY = 64 * 1024;
const SECRET = bytes32("the secret");
const DIGITS = SECRET.slice(2);

function bytes32Of(digits: string): Bytes32 {
  return `0x${digits}` as Bytes32;
}

/** Pieces of text repeated to the size of the largest body. */
function filled(piece: string, size = BODY): string {
  return piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
}

function spelled(text: string, prefix: string): string {
  return text.replaceAll(/./g, (one) => `${prefix}${one.charCodeAt(0).toString(16)}`);
}

/** Each with how many windows it may cost. */
const FILLINGS: readonly (readonly [name: string, text: string, most?: number])[] = [
  // No honest request holds such a run: its ends are searched.
  ["one run", filled("a5"), 128],
  ["runs of 4,096", filled(`${"a5".repeat(2048)} `)],
  ["runs of 4,096 with an escape each", filled(`${"a5".repeat(2047)}%61`)],
  ["runs of 4,000 with an escape at the end", filled(`${"a5".repeat(2000)}%61 `)],
  ["runs of 64", filled(`${"a5".repeat(32)} `)],
  ["an escape per 64 digits", filled(`${"a5".repeat(31)}b\\u0061`)],
  ["percent signs", filled("%61%35")],
  ["JSON escapes", filled("\\u0061\\u0035")],
];

describe("S-66: what a search costs", () => {
  for (const [name, text, most = 33_300] of FILLINGS) {
    test(`64 KiB, ${name}: at most ${most} windows, never more than 8,192 at a time`, async () => {
      const { swaps, guard, work } = await guardedService();
      await guard(SECRET);
      assert.equal(await swaps.holdsSecret(Buffer.from(text, "latin1")), false);
      const { pieces, breaths } = work();
      assert.ok(Math.max(...pieces) <= 8192, pieces.join(" + "));
      assert.ok(pieces.reduce((sum, one) => sum + one, 0) <= most, pieces.join(" + "));
      assert.equal(breaths, pieces.length - 1, "others are served between two pieces");
    });
  }

  test("the secret is found in the last piece, however it is written", async () => {
    const { swaps, guard } = await guardedService();
    await guard(SECRET);
    const front = filled(`${"a5".repeat(2048)} `, BODY - 1000);
    for (const written of [DIGITS, spelled(DIGITS, "%"), spelled(DIGITS, "\\u00")]) {
      assert.equal(await swaps.holdsSecret(Buffer.from(`${front} ${written}`, "latin1")), true);
    }
  });

  test("a body of more than 64 KiB is 413 before anything is searched, on every path", async () => {
    const { swaps, guard, work } = await guardedService();
    await guard(SECRET);
    const { app } = await harness(richIndex(), { swaps });
    const payload = `${"x".repeat(BODY)} ${DIGITS}`;
    for (const url of [
      "/api/v1/swaps/asks",
      "/api/v1/swaps/no/such/path",
      "/api/v1/prc20/stats",
      "/health",
    ]) {
      for (const headers of [{ "content-type": "application/json" }, { "content-type": "nonsense" }]) {
        const answer = await app.inject({ method: "POST", url, headers, payload });
        assert.deepEqual([answer.statusCode, answer.json().error], [413, "BODY_TOO_LARGE"], url);
      }
    }
    assert.deepEqual(work().pieces, []);
    await app.close();
  });

  test("a body at any path and a target of any group is searched", async () => {
    const { swaps, guard } = await guardedService();
    await guard(SECRET);
    const { app } = await harness(richIndex(), { swaps });
    const bodies = [
      "/api/v1/swaps/asks",
      "/api/v1/swaps/x",
      "/api/v1/prc20/stats",
      "/api/v1/events",
      "/docs",
      "/x",
    ];
    for (const url of bodies) {
      const answer = await app.inject({ method: "POST", url, payload: { x: SECRET } });
      assert.deepEqual([answer.statusCode, answer.json().error], [400, "SECRET_REFUSED"], url);
    }
    const encoded = spelled(DIGITS, "%");
    const targets = [
      `/api/v1/prc20/op/${DIGITS}`,
      `/api/v1/prc20/op/${encoded}`,
      `/x?${DIGITS}`,
      `/%zz/${DIGITS}`,
    ];
    for (const url of targets) {
      const answer = await app.inject(url);
      assert.deepEqual([answer.statusCode, answer.json().error], [400, "SECRET_REFUSED"], url);
    }
    await app.close();
  });
});

describe("S-66: what values cost that do hash to a known hashlock", () => {
  const repeated = bytes32Of("a5".repeat(32));

  test("one that stands in a body 30,000 times is judged once, whether it is refused or shown", async () => {
    const { swaps, guard, work } = await guardedService();
    await guard(repeated);
    const body = Buffer.from(filled(`${"a5".repeat(2048)} `));
    work();
    assert.equal(await swaps.holdsSecret(body), true);
    assert.equal(work().judged, 1);
    // A take of the value itself makes it shown.
    const shown = await guardedService();
    await shown.guard(repeated);
    await shown.guardHashlock(repeated);
    shown.work();
    assert.equal(await shown.swaps.holdsSecret(body), false);
    assert.equal(shown.work().judged, 1);
  });

  test("two that take turns are judged twice", async () => {
    const { swaps, guard, work } = await guardedService();
    for (const byte of ["a5", "5a"]) await guard(bytes32Of(byte.repeat(32)));
    const body = Buffer.from(filled(`${"a5".repeat(32)} ${"5a".repeat(32)} `));
    work();
    assert.equal(await swaps.holdsSecret(body), true);
    assert.equal(work().judged, 2);
  });

  test("dead takes of a hashlock cost no question anything", async (context) => {
    const { swaps, guard, scene } = await guardedService();
    for (let made = 0; made < 300; made += 1) await guard(repeated);
    scene.outside.now += 1300;
    scene.parts.readiness.tick();
    const of = context.mock.method(MultiIndex.prototype, "of");
    const [offered] = [...scene.ledger.asks()];
    assert.equal(await swaps.holdsSecret(Buffer.from(repeated)), false, "their secret is nobody's any more");
    assert.ok(offered !== undefined);
    assert.equal((await swaps.askDeal(offered.askId)).kind, "refused");
    let looked = 0;
    for (const { result } of of.mock.calls) looked += [...(result ?? [])].length;
    assert.ok(looked < 10, `${looked} takes were looked at`);
  });
});

test("S-66: a request that no reading gives 64 digits of hashes nothing", async () => {
  const { swaps, guard, work } = await guardedService();
  await guard(SECRET);
  const texts = ["", "/api/v1/prc20/tokenlist?limit=100", filled(`${"a5".repeat(31)} `), filled("x")];
  for (const text of texts) assert.equal(swaps.holdsSecret(Buffer.from(text)), false);
  assert.deepEqual(work().pieces, []);
});
