// POSTs at a process that does not write come to what they come to at the one that does.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { apiScene } from "../../../testkit/builders/swap-ledger/api-scene.ts";
import { bytes32 } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { accepted, evm, locked, ORDER } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { carryOutErrand, FollowingSwaps } from "./errands.ts";
import { SwapApi } from "./swap-api.ts";
import type { SwapPost } from "./swap-service.ts";

type Ask = ConstructorParameters<typeof FollowingSwaps>[1]["ask"];

const HASH = bytes32("of nobody");

/** As deep as 64 KiB can be: more than can be written down again. */
const DEEP: unknown = JSON.parse("[".repeat(30_000) + "]".repeat(30_000));

/** Every POST, with a body that nobody has checked. */
const POSTS: readonly SwapPost[] = [
  { name: "createAsk", body: { seller: "nobody" } },
  { name: "takeAsk", hash: HASH, body: {} },
  { name: "actOnAsk", hash: HASH, action: "cancel", body: {} },
  { name: "setOrigin", hash: HASH, body: { origin: { $exact: "map", value: 1 } } },
  { name: "acceptLock", hash: HASH, body: {}, client: "192.0.2.1" },
  { name: "verifyLock", hash: HASH, body: {}, client: "192.0.2.1" },
  { name: "verifyRefund", hash: HASH, body: {}, client: "192.0.2.1" },
  { name: "verifyEvmRefund", hash: HASH, body: {}, client: "192.0.2.1" },
];

async function following(ask: (api: SwapApi) => Ask) {
  const { parts, ledger } = await apiScene();
  const api = new SwapApi(parts);
  let caughtUp = 0;
  const writer = {
    ask: ask(api),
    caughtUp: async () => {
      caughtUp += 1;
    },
  };
  return { api, ledger, swaps: new FollowingSwaps(parts, writer), caughtUp: () => caughtUp };
}

describe("POSTs of swaps beside the writer", () => {
  test("H-46: also one whose fields no field takes, or whose unknown ones are deeper than can be written", async () => {
    const { api, swaps } = await following((writer) => async (question) => ({
      kind: "answered",
      answer: await carryOutErrand(writer, question),
    }));
    const bodies = [
      { nonce: Number.POSITIVE_INFINITY },
      { unknown: DEEP },
      { expiry: DEEP, nonce: { a: 1 } },
    ];
    for (const body of bodies) {
      const post = { name: "createAsk", body } as const;
      assert.deepEqual(await swaps.post(post), await api.post(post));
    }
    const verify = { name: "verifyRefund", hash: HASH, client: "" } as const;
    assert.deepEqual(
      await swaps.post({ ...verify, body: { a: DEEP } }),
      await api.post({ ...verify, body: {} }),
    );
  });

  test("each comes to what the writer's use case comes to, and is answered when that is followed", async () => {
    const { api, swaps, caughtUp } = await following((writer) => async (question) => ({
      kind: "answered",
      answer: await carryOutErrand(writer, question),
    }));
    for (const post of POSTS) assert.deepEqual(await swaps.post(post), await api.post(post));
    assert.equal(caughtUp(), POSTS.length);
  });

  test("H-45, S-62: without an answer they are 503 in the shape of their endpoint, and say whether anything was kept", async () => {
    for (const [kind, sentence] of [
      ["given up", /nothing was kept/],
      ["unknown", /not known/],
    ] as const) {
      const { swaps, caughtUp } = await following(() => async () => ({ kind }));
      for (const [at, post] of POSTS.entries()) {
        const outcome = await swaps.post(post);
        assert.ok(outcome.kind !== "answer");
        assert.equal(outcome.kind, at < 5 ? "refused" : "noVerdict");
        assert.equal(outcome.code, "INDEXER_NOT_SYNCED");
        assert.match(outcome.message, sentence);
      }
      assert.equal(caughtUp(), 0);
    }
  });

  test("S-60: a verification without an answer has all details, as one without a verdict has at the writer", async () => {
    const { api, swaps, ledger } = await following(() => async () => ({ kind: "given up" }));
    await ledger.applyEvm(evm(2, [locked("a", 2), accepted("a", 2)]));
    for (const name of ["verifyLock", "verifyRefund", "verifyEvmRefund"] as const) {
      const post = { name, hash: ORDER, body: {}, client: "" };
      const [told, none] = [await api.post(post), await swaps.post(post)];
      assert.ok(none.kind === "noVerdict");
      const { details } = Object(told.kind === "answer" ? told.value : told);
      // What one verdict alone has, and why the writer gives none.
      const own = new Set(["credited", "script_covered"]);
      const common = Object.keys(details).filter((field) => !own.has(field));
      assert.deepEqual(Object.keys(none.details).toSorted(), [...common, "writer"].toSorted());
      assert.equal(none.details["confirmations_need"], details.confirmations_need);
      assert.deepEqual([none.details["retryable"], none.details["writer"]], [true, "silent"]);
    }
  });

  test("what another version of the program has sent is refused", async () => {
    const { api } = await following(() => async () => ({ kind: "given up" }));
    await assert.rejects(carryOutErrand(api, '{"format":0,"errand":{}}'), /another version/);
  });
});
