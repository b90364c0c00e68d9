// Gives tests of the node adapter a client and a fake node, with a clock that makes backoff short.

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { NodeError, type NodeErrorCode } from "../../src/adapters/pearl-node/node-error.ts";
import { openPearlNode, type PearlNodeOptions } from "../../src/adapters/pearl-node/pearl-node.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import type { BlockHash } from "../../src/primitives/brands.ts";
import type { Clock, Log, PearlNode } from "../../src/follow/ports.ts";
import { type FakeNode, type FakeOptions, type FakeRequest, startFakeNode } from "./fake-node.ts";

/** A log that says nothing. */
export const silent: Log = { info() {}, warn() {}, error() {}, debug() {} };
/** Waits a hundredth of what is asked, so that backoff is short. */
const quickClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms / 100, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};
/** Any hash. */
export const HASH = "ab".repeat(32) as BlockHash;
/** Four tries, quickly. */
export const patience = { attempts: 4, firstDelayMs: 50, timeoutMs: 30_000 };

/** What a test left open, closed by `closeAll` in reverse order. */
const open = new Set<{ close(): Promise<void> }>();
/** Ends all clients and fakes; to be called after each test. */
export async function closeAll(): Promise<void> {
  for (const one of [...open].toReversed()) await one.close();
  open.clear();
}

/** Starts a fake node that ends with the test. */
export async function fake(handle: (request: FakeRequest) => void, options?: FakeOptions): Promise<FakeNode> {
  const node = await startFakeNode(handle, options);
  open.add(node);
  return node;
}

/** A client that ends with the test. */
export function client(url: string, options: Partial<PearlNodeOptions> = {}): PearlNode {
  const node = openPearlNode({
    url,
    user: "user",
    password: "pässword",
    network: NETWORKS.simnet,
    log: silent,
    clock: quickClock,
    patience,
    ...options,
  });
  open.add(node);
  return node;
}

/** The error of a promise that must fail so. */
export async function failure(
  promise: Promise<unknown>,
  code: NodeErrorCode,
  text: RegExp = /./,
): Promise<NodeError> {
  const error = await promise.then(
    () => assert.fail("it succeeded"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof NodeError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, text);
  return error;
}

/** A node whose tip is HASH at height 7. */
export const answerTip = (request: FakeRequest): void =>
  request.answer((call) => (call.method === "getblockcount" ? 7 : HASH));

/** Waits for something to come about. */
export async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 6000 && !condition(); i += 1) await delay(5);
  assert.ok(condition(), "it did not come about within half a minute");
}
