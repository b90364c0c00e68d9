// Checks signatures: small sets in the calling thread, large ones in worker threads, because a full block of listings
// holds some 5,500 checks and the calling thread also answers HTTP.

import { Worker } from "node:worker_threads";
import type { SignatureChecker } from "../../index/ports.ts";
import type { SignatureJob } from "../../prc20/listing-signatures.ts";
import { verifySchnorr } from "./schnorr.ts";
import { packJobs } from "./signature-codec.ts";
import type { SignatureAnswer, SignatureTask } from "./signature-worker.ts";

/** Size of the pool and of the pieces. */
export interface SignaturePoolOptions {
  /** Worker threads, 1 or more; they start at the first set that needs them. */
  readonly workers: number;
  /** Sets up to this size are checked by the caller: some 0.17 ms each, less than a worker's round trip is worth. */
  readonly inlineLimit?: number;
  /** Checks per task. */
  readonly taskSize?: number;
}

interface Waiting {
  readonly resolve: (verdicts: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/** A `SignatureChecker` over worker threads. */
export class SignaturePool implements SignatureChecker {
  readonly #options: Required<SignaturePoolOptions>;
  readonly #waiting = new Map<number, Waiting>();
  #workers: Worker[] = [];
  #nextTask = 0;
  #closed = false;

  constructor(options: SignaturePoolOptions) {
    this.#options = { inlineLimit: 24, taskSize: 256, ...options };
  }

  /** One verdict per job, in order. Rejects when a worker dies, never for a bad signature. */
  async verifyAll(jobs: readonly SignatureJob[]): Promise<readonly boolean[]> {
    if (jobs.length <= this.#options.inlineLimit) {
      return jobs.map((job) => verifySchnorr(job.key, job.message, job.signature));
    }
    const { taskSize, workers } = this.#options;
    // Every worker gets a share, also of a set that is smaller than workers · taskSize.
    const size = Math.min(taskSize, Math.ceil(jobs.length / workers));
    const tasks: Promise<Uint8Array>[] = [];
    for (let start = 0; start < jobs.length; start += size) {
      tasks.push(this.#submit(jobs.slice(start, start + size)));
    }
    const answers = await Promise.all(tasks);
    return answers.flatMap((verdicts) => Array.from(verdicts, (verdict) => verdict === 1));
  }

  /** Ends the workers; sets that are being checked are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    const workers = this.#workers;
    this.#workers = [];
    this.#failAll(new Error("the signature pool is closed"));
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #submit(jobs: readonly SignatureJob[]): Promise<Uint8Array> {
    if (this.#closed) return Promise.reject(new Error("the signature pool is closed"));
    if (this.#workers.length === 0) this.#start();
    const id = this.#nextTask;
    this.#nextTask += 1;
    const worker = this.#workers[id % this.#workers.length];
    if (worker === undefined) return Promise.reject(new Error("the signature pool has no worker"));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const task: SignatureTask = { id, packed: packJobs(jobs) };
      worker.postMessage(task, [task.packed.buffer]);
    });
  }

  #start(): void {
    for (let index = 0; index < this.#options.workers; index += 1) {
      const worker = new Worker(new URL("./signature-worker.ts", import.meta.url));
      // Waiting workers must not keep a finished program alive.
      worker.unref();
      worker.on("message", (answer: SignatureAnswer) => this.#settle(answer));
      worker.on("error", (cause) => this.#drop(worker, new Error("a signature worker failed", { cause })));
      worker.on("exit", () => this.#drop(worker, new Error("a signature worker ended")));
      this.#workers.push(worker);
    }
  }

  #settle(answer: SignatureAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    waiting?.resolve(answer.verdicts);
  }

  /** After a failure the whole pool starts anew, so that it need not be known which task died with which worker. */
  #drop(failed: Worker, error: Error): void {
    // A worker of an earlier pool says nothing about this one.
    if (!this.#workers.includes(failed)) return;
    const workers = this.#workers;
    this.#workers = [];
    this.#failAll(error);
    for (const worker of workers) worker.terminate().catch(() => undefined);
  }

  #failAll(error: Error): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const one of waiting) one.reject(error);
  }
}
