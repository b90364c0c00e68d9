// The words of several EVM RPCs on one question, as they come in.

import { EvmUnavailable } from "./evm-unavailable.ts";

/** What has come so far. */
export interface ComingWords<Word> {
  readonly words: readonly Word[];
  /** The last one that gave none; null where there was none such. */
  readonly failure: EvmUnavailable | null;
}

/**
 * Waits for all of these, or until what has come is enough: one that is slow changes nothing then. One that rejects with
 * `EvmUnavailable` has no word; anything else is a bug, and rejects at once.
 */
export async function wordsUntil<Word>(
  asked: readonly Promise<Word>[],
  isEnough: (words: readonly Word[]) => boolean,
): Promise<ComingWords<Word>> {
  const words: Word[] = [];
  let failure: EvmUnavailable | null = null;
  let missing = asked.length;
  await new Promise<void>((resolve, reject) => {
    if (missing === 0) resolve();
    for (const one of asked) {
      const settled = one.then(
        (word) => void words.push(word),
        (error: unknown) => {
          if (!(error instanceof EvmUnavailable)) throw error;
          failure = error;
        },
      );
      settled
        .then(() => {
          missing -= 1;
          if (missing === 0 || isEnough(words)) resolve();
        })
        .catch(reject);
    }
  });
  return { words: [...words], failure };
}
