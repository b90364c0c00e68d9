// One process of `npm run simulate`: plays the stories of the seeds that it is sent, and answers each piece with what
// failed and what came up.

import { simulate } from "../../testkit/worlds/service/simulate.ts";

/** Seeds to be played, one after the other. */
export interface Piece {
  readonly from: number;
  readonly count: number;
}

/** What a piece came to. */
export interface PieceEnd {
  readonly piece: Piece;
  /** Stories that failed, as people read them. */
  readonly failures: readonly { readonly seed: number; readonly text: string }[];
  /** What came up, and how often. */
  readonly met: readonly (readonly [string, number])[];
}

async function played(piece: Piece): Promise<PieceEnd> {
  const met = new Map<string, number>();
  const failures: { readonly seed: number; readonly text: string }[] = [];
  for (let seed = piece.from; seed < piece.from + piece.count; seed += 1) {
    const failure = await simulate(seed, met);
    if (failure !== null) failures.push({ seed, text: failure.text });
  }
  return { piece, failures, met: [...met] };
}

process.on("message", (piece: Piece) => {
  void played(piece).then((end) => process.send?.(end));
});
// Ctrl-C and `timeout` reach every process of a group: the one that sends the seeds says when to end, or is gone.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
process.on("disconnect", () => process.exit());
