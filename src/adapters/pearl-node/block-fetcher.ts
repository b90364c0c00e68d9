// Many blocks with few requests: asked hashes wait in line, and each request takes as many as bring about a few
// megabytes, so that small blocks travel in batches and large ones side by side. A node that closes every connection
// makes a request dear, over TLS most of all.

import type { RpcCall } from "../json-rpc/rpc-answer.ts";
import type { BytesReply } from "./hex-results.ts";

/** Asks for raw blocks in one request; replies in order. */
export type AskBlocks = (calls: readonly RpcCall[]) => Promise<readonly BytesReply[]>;

const LANES = 4;
const LARGEST_BATCH = 50;
/** Raw bytes that one answer should bring. */
const WANTED_BYTES = 2_000_000;
/** What brings less is not shared out among several requests. */
const SMALL_BYTES = 250_000;
/** Weight of the newest request in the average block size where blocks become smaller; larger ones count at once. */
const NEWEST_WEIGHT = 0.3;

interface Waiting {
  readonly call: RpcCall;
  readonly resolve: (reply: BytesReply) => void;
  readonly reject: (error: unknown) => void;
}

/** Gathers requests for blocks. */
export class BlockFetcher {
  readonly #ask: AskBlocks;
  #line: Waiting[] = [];
  #active = 0;
  #scheduled = false;
  /** Null until a block was seen: till then they count as large, so that the first answers come one by one. */
  #averageBytes: number | null = null;

  constructor(ask: AskBlocks) {
    this.#ask = ask;
  }

  /** The node's reply to one `getblock`. Calls made in the same turn share requests. */
  fetch(call: RpcCall): Promise<BytesReply> {
    return new Promise((resolve, reject) => {
      this.#line.push({ call, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      queueMicrotask(() => {
        this.#scheduled = false;
        this.#start();
      });
    });
  }

  #start(): void {
    while (this.#active < LANES && this.#line.length > 0) {
      const averageBytes = this.#averageBytes ?? WANTED_BYTES;
      const share = Math.ceil(this.#line.length / (LANES - this.#active));
      const least = Math.floor(SMALL_BYTES / averageBytes);
      const fitting = Math.max(1, Math.floor(WANTED_BYTES / averageBytes));
      const batch = this.#line.splice(0, Math.min(Math.max(share, least), fitting, LARGEST_BATCH));
      this.#active += 1;
      void this.#run(batch);
    }
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    try {
      const replies = await this.#ask(batch.map((one) => one.call));
      let bytes = 0;
      for (const [i, one] of batch.entries()) {
        const reply = replies[i];
        if (reply === undefined) throw new RangeError("fewer replies than calls");
        if (reply.ok) bytes += reply.value.length;
        one.resolve(reply);
      }
      this.#seen(Math.max(1, bytes / batch.length));
    } catch (error) {
      for (const one of batch) one.reject(error);
    } finally {
      this.#active -= 1;
      this.#start();
    }
  }

  #seen(blockBytes: number): void {
    const known = this.#averageBytes ?? blockBytes;
    this.#averageBytes = Math.max(blockBytes, known + NEWEST_WEIGHT * (blockBytes - known));
  }
}
