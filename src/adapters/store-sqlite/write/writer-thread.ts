// The calling thread's side of the writer: one promise per order, answered in order; when the thread dies, what is
// pending and everything later rejects with the reason.

import { Worker } from "node:worker_threads";
import type { Writer, WriterAnswer, WriterOrder, WriterStart } from "./writer-protocol.ts";

/** Memory for new objects of the writer thread, in MiB. */
const YOUNG_GENERATION_MB = { ample: 96, little: 8 } as const;

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

/** Handle of a running writer thread. */
export class WriterThread implements Writer {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #dead: Error | null = null;
  #isClosing = false;
  readonly #died = Promise.withResolvers<Error>();

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", ({ id, error }: WriterAnswer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === null) waiting?.resolve();
      else waiting?.reject(new Error(error));
    });
    worker.on("error", (error) => this.#die(error));
    worker.on("exit", (code) =>
      this.#die(new Error(`store: the writer thread has ended (exit code ${code})`)),
    );
  }

  /** Resolves with the reason when the thread ends before `close`; else never. */
  get died(): Promise<Error> {
    return this.#died.promise;
  }

  /** Starts the thread and waits until the database is open; rejects with the writer's sentence where it is not. */
  static async start(workerData: WriterStart): Promise<WriterThread> {
    const worker = new Worker(new URL("./writer.ts", import.meta.url), {
      workerData,
      name: "store-writer",
      // Rows live for one transaction: with room for them the collector finds them dead and copies nothing.
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB[workerData.memory] },
    });
    const thread = new WriterThread(worker);
    try {
      await thread.#expect(0);
    } catch (error) {
      await worker.terminate();
      throw error;
    }
    return thread;
  }

  /** Whether the thread has ended before `close`. */
  get hasDied(): boolean {
    return this.#dead !== null && !this.#isClosing;
  }

  /** Sends an order; resolves when it is carried out. `buffers` in it change owners instead of being copied. */
  send(order: WriterOrder, buffers: readonly ArrayBufferLike[] = []): Promise<void> {
    if (this.#dead !== null) return Promise.reject(this.#dead);
    this.#lastId += 1;
    const answered = this.#expect(this.#lastId);
    try {
      this.#worker.postMessage({ id: this.#lastId, order }, transferable(buffers));
    } catch (error) {
      this.#waiting.get(this.#lastId)?.reject(error instanceof Error ? error : new Error(String(error)));
      this.#waiting.delete(this.#lastId);
    }
    return answered;
  }

  /** Closes database and thread. */
  async close(): Promise<void> {
    if (this.#dead !== null) return;
    this.#isClosing = true;
    await this.send({ kind: "close" });
    await this.#worker.terminate();
  }

  #expect(id: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #die(reason: Error): void {
    this.#dead ??= new Error(`store: the writer has stopped: ${reason.message}`);
    for (const waiting of this.#waiting.values()) waiting.reject(this.#dead);
    this.#waiting.clear();
    if (!this.#isClosing) this.#died.resolve(this.#dead);
  }
}

function transferable(buffers: readonly ArrayBufferLike[]): ArrayBuffer[] {
  return buffers.filter((buffer) => buffer instanceof ArrayBuffer);
}
