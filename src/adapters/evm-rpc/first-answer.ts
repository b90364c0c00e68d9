// Gives the first answer of several RPCs, which are asked one after the other, beginning with the one that answered
// last.

import { EvmUnavailable } from "../../swaps/evm/evm-unavailable.ts";

/** Several ways to ask the same. */
export class FirstAnswer<Source> {
  readonly #sources: readonly Source[];
  #preferred = 0;

  constructor(sources: readonly Source[]) {
    this.#sources = sources;
  }

  /** The first answer. Rejects with the last `EvmUnavailable` where none answers; other errors end the search. */
  async ask<T>(question: (source: Source) => Promise<T>): Promise<T> {
    const count = this.#sources.length;
    const start = this.#preferred;
    let last = new EvmUnavailable("UNREACHABLE", "no EVM RPC is configured");
    for (let i = 0; i < count; i += 1) {
      const index = (start + i) % count;
      const source = this.#sources[index];
      if (source === undefined) continue;
      try {
        const answer = await question(source);
        this.#preferred = index;
        return answer;
      } catch (error) {
        if (!(error instanceof EvmUnavailable)) throw error;
        last = error;
      }
    }
    throw last;
  }
}
