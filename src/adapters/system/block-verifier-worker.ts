// What does the verifying thread do? It says of each block what is wrong with its bytes, or null.

import { parentPort, workerData } from "node:worker_threads";
import type { BlockFault } from "../../chain/block-fault.ts";
import { type NetworkName, NETWORKS } from "../../chain/networks.ts";
import { type ExpectedBlock, faultOfBlock } from "../../chain/scan-block.ts";
import { sha256d } from "./hashes.ts";
import { openSha256Lanes } from "./sha256-lanes.ts";

/** A block to verify; the bytes are the thread's own. */
export interface VerifierTask {
  readonly id: number;
  readonly raw: Uint8Array<ArrayBuffer>;
  readonly expected: ExpectedBlock;
}

/** What the thread is started with. */
export interface VerifierStart {
  readonly network: NetworkName;
  /** One number: the task whose block was found sound last. It is there before the answer is heard. */
  readonly lastSound: Int32Array<SharedArrayBuffer>;
}

/** Its answer. */
export interface VerifierAnswer {
  readonly id: number;
  readonly fault: BlockFault | null;
}

const port = parentPort;
if (port === null) throw new Error("the block verifier runs in a worker thread only");

const { network, lastSound }: VerifierStart = workerData;
const context = { network: NETWORKS[network], sha256d, sha256dAll: openSha256Lanes(sha256d) };

port.on("message", ({ id, raw, expected }: VerifierTask) => {
  const fault = faultOfBlock(raw, expected, context);
  if (fault === null) Atomics.store(lastSound, 0, id);
  const answer: VerifierAnswer = { id, fault };
  port.postMessage(answer);
});
