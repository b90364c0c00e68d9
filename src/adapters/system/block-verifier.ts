// How is a block verified while it is being read already? By a thread of its own, which does nothing else.

import { Worker } from "node:worker_threads";
import type { BlockFault } from "../../chain/block-fault.ts";
import type { NetworkName } from "../../chain/networks.ts";
import type { ExpectedBlock } from "../../chain/scan-block.ts";
import type { BlockVerdict, BlockVerifier } from "../../index/ports.ts";
import type { VerifierAnswer, VerifierStart, VerifierTask } from "./block-verifier-worker.ts";

const WORTH_A_THREAD = 100_000;

interface Waiting {
  readonly resolve: (fault: BlockFault | null) => void;
  readonly reject: (error: Error) => void;
}

/** A `BlockVerifier` in a worker thread, which starts at the first block. */
export class VerifierThread implements BlockVerifier {
  readonly smallestBlock: number;
  readonly #network: NetworkName;
  readonly #waiting = new Map<number, Waiting>();
  readonly #lastSound = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | null = null;
  #lastId = 0;
  #isClosed = false;

  constructor(network: NetworkName, smallestBlock = WORTH_A_THREAD) {
    this.#network = network;
    this.smallestBlock = smallestBlock;
  }

  /** As the port says; the fault rejects where the thread has died, and the next block finds a new one. */
  verify(raw: Uint8Array, expected: ExpectedBlock): BlockVerdict {
    this.#lastId += 1;
    const id = this.#lastId;
    const fault = new Promise<BlockFault | null>((resolve, reject) => {
      if (this.#isClosed) return reject(new Error("the block verifier is closed"));
      this.#worker ??= this.#start();
      this.#waiting.set(id, { resolve, reject });
      const task: VerifierTask = { id, raw: Uint8Array.from(raw), expected };
      this.#worker.postMessage(task, [task.raw.buffer]);
    });
    return { fault, isSound: () => Atomics.load(this.#lastSound, 0) === id };
  }

  /** Ends the thread; blocks that are being verified are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#drop(worker, new Error("the block verifier is closed"));
    await worker?.terminate();
  }

  #start(): Worker {
    const workerData: VerifierStart = { network: this.#network, lastSound: this.#lastSound };
    const worker = new Worker(new URL("./block-verifier-worker.ts", import.meta.url), {
      workerData,
      name: "block-verifier",
    });
    // A waiting thread must not keep a finished program alive.
    worker.unref();
    worker.on("message", ({ id, fault }: VerifierAnswer) => {
      this.#waiting.get(id)?.resolve(fault);
      this.#waiting.delete(id);
    });
    worker.on("error", (cause) => this.#drop(worker, new Error("the block verifier failed", { cause })));
    worker.on("exit", () => this.#drop(worker, new Error("the block verifier ended")));
    return worker;
  }

  #drop(worker: Worker | null, error: Error): void {
    if (worker === null || this.#worker !== worker) return;
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
