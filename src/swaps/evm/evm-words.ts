// The words of several EVM RPCs on one question, as they come in.

/** What has come so far. */
export interface ComingWords<Word> {
  readonly words: readonly Word[];
  /** The last failure; null where there was none. */
  readonly failure: unknown;
}

/** Waits for all of these, or until what has come is enough: one that is slow changes nothing then. Never rejects. */
export async function wordsUntil<Word>(
  asked: readonly Promise<Word>[],
  isEnough: (words: readonly Word[]) => boolean,
): Promise<ComingWords<Word>> {
  const words: Word[] = [];
  let failure: unknown = null;
  let missing = asked.length;
  await new Promise<void>((resolve) => {
    if (missing === 0) resolve();
    for (const one of asked) {
      const settled = one.then(
        (word) => void words.push(word),
        (error: unknown) => {
          failure = error;
        },
      );
      void settled.then(() => {
        missing -= 1;
        if (missing === 0 || isEnough(words)) resolve();
      });
    }
  });
  return { words: [...words], failure };
}
