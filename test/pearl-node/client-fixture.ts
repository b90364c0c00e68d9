// Gives tests of the node adapter a client and a fake node, with a clock that makes backoff short.

import assert from "node:assert/strict";
import { NodeError, type NodeErrorCode } from "../../src/adapters/pearl-node/node-error.ts";
import { openPearlNode, type PearlNodeOptions } from "../../src/adapters/pearl-node/pearl-node.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import type { BlockHash } from "../../src/primitives/brands.ts";
import type { Clock, SwapNode } from "../../src/follow/ports.ts";
import type { RpcRequest } from "../../testkit/doubles/rpc-server.ts";
import { type FakeNode, type FakeOptions, startFakeNode } from "./fake-node.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { SILENT } from "../../testkit/doubles/log.ts";

/** Waits a hundredth of what is asked, so that backoff is short. */
const quickClock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 100, signal) };
/** Any hash. */
export const ANY_HASH = "ab".repeat(32) as BlockHash;
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
export async function fake(handle: (request: RpcRequest) => void, options?: FakeOptions): Promise<FakeNode> {
  const node = await startFakeNode(handle, options);
  open.add(node);
  return node;
}

/** A client that ends with the test. */
export function client(url: string, options: Partial<PearlNodeOptions> = {}): SwapNode {
  const node = openPearlNode({
    url,
    user: "user",
    password: "pässword",
    network: NETWORKS.simnet,
    log: SILENT,
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
export const answerTip = (request: RpcRequest): void =>
  request.answer((call) => (call.method === "getblockcount" ? 7 : ANY_HASH));
