// Compares two things fairly: they run in turns for several rounds, the best round of each counts, and CPU time is
// taken beside wall time.

/** The best round of one side. */
export interface BestRound {
  readonly ms: number;
  readonly cpuMs: number;
}

/** One side after all rounds. */
export interface Rounds<Answer> {
  readonly best: BestRound;
  /** What each round answered, for checking. */
  readonly answers: readonly Answer[];
}

interface Sides<Value> {
  readonly ours: Value;
  readonly peer: Value;
}

const SIDES = ["ours", "peer"] as const;

/** Runs ours and the peer's in turn in this process, `rounds` times each. */
export async function interleave<Answer>(
  rounds: number,
  work: Sides<() => Answer | Promise<Answer>>,
): Promise<Sides<Rounds<Answer>>> {
  const seen: Sides<{ best: BestRound; answers: Answer[] }> = {
    ours: { best: { ms: Infinity, cpuMs: 0 }, answers: [] },
    peer: { best: { ms: Infinity, cpuMs: 0 }, answers: [] },
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const side of SIDES) {
      const cpu = process.cpuUsage();
      const started = performance.now();
      seen[side].answers.push(await work[side]());
      const ms = performance.now() - started;
      const used = process.cpuUsage(cpu);
      if (ms < seen[side].best.ms) seen[side].best = { ms, cpuMs: (used.user + used.system) / 1000 };
    }
  }
  return seen;
}

/** Runs jobs of both sides in turn; all their answers. */
export async function inTurns<Ours, Theirs>(
  rounds: number,
  ours: (round: number) => Promise<Ours>,
  peer: (round: number) => Promise<Theirs>,
): Promise<{ readonly ours: Ours[]; readonly peer: Theirs[] }> {
  const answers: { ours: Ours[]; peer: Theirs[] } = { ours: [], peer: [] };
  for (let round = 0; round < rounds; round += 1) {
    answers.ours.push(await ours(round));
    answers.peer.push(await peer(round));
  }
  return answers;
}

/** The answer with the smallest (or largest) `value`. @throws on an empty list. */
export function bestOf<Answer>(
  answers: readonly Answer[],
  better: "less" | "more",
  value: (answer: Answer) => number,
): Answer {
  return answers.reduce((best, answer) => {
    const difference = value(answer) - value(best);
    return (better === "less" ? difference < 0 : difference > 0) ? answer : best;
  });
}
