// Logs that count as final and that one RPC shows and another one denies (S-07): they are asked about again now and then,
// and two RPCs that agree decide. What is disputed is below the block that is final here, so that only RPCs which have that
// one have a word, whatever they call final now.

import { zip } from "../../primitives/elements.ts";
import { logStanding } from "../../swap/evm-quorum.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { Clock } from "../../follow/ports.ts";
import { finalBackPoint } from "./evm-back-point.ts";
import type { EvmSource } from "./evm-chain.ts";
import { finalPoint } from "./evm-fork.ts";
import { type BackStep, backStep, type ReadingStep } from "./evm-reading-step.ts";
import type { DeniedLogs } from "./evm-rpc-memory.ts";
import { type LogReading, type Witnesses, witnessesOf } from "./evm-witnesses.ts";
import type { EvmLedger } from "../ledger/ports.ts";

/** What they are asked about with. */
interface DisputesDependencies {
  readonly sources: readonly EvmSource[];
  readonly reading: LogReading;
  readonly ledger: Pick<EvmLedger, "tips" | "checkpoints" | "disputes">;
  readonly clock: Clock;
}

/** The disputed logs. */
export class Disputes {
  readonly #deps: DisputesDependencies;
  readonly #denied: DeniedLogs;
  /** Time between two looks. */
  readonly #everyMs: number;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** Counts the choices of an RPC to read again from. */
  #turn = 0;

  constructor(deps: DisputesDependencies, denied: DeniedLogs, everyMs: number) {
    this.#deps = deps;
    this.#denied = denied;
    this.#everyMs = everyMs;
  }

  /** What two RPCs agree on now; null where there is nothing to do. Rejects with `EvmUnavailable`. */
  async look(): Promise<BackStep | Extract<ReadingStep, { kind: "resolve" }> | null> {
    const { sources, reading, ledger, clock } = this.#deps;
    const [disputes, nowMs] = [ledger.disputes(), clock.monotonicMs()];
    if (disputes.length === 0 || nowMs - this.#lookedAtMs < this.#everyMs) return null;
    this.#lookedAtMs = nowMs;
    const point = finalPoint(ledger);
    const final = point === null ? null : { height: point.number, hash: point.hash };
    const judged = zip(disputes, await witnessesOf(disputes, sources, reading, final));
    const events = judged.flatMap(([event, words]) => (this.#standingOf(words) === "shown" ? [event] : []));
    // What two show must not wait for what two deny.
    if (events.length > 0) return { kind: "resolve", events };
    for (const [event, words] of judged) {
      const back = this.#standingOf(words) === "gone" ? await this.#back(event, words) : null;
      if (back !== null) return back;
    }
    return null;
  }

  get #isAlone(): boolean {
    return this.#deps.sources.length === 1;
  }

  #standingOf({ shows, lacks }: Witnesses): ReturnType<typeof logStanding> {
    return logStanding({ shows: shows.length, lacks: lacks.length }, this.#isAlone ? 1 : 2);
  }

  /** Back because of a log, where enough RPCs deny it and agree to which block. */
  async #back(event: EscrowEvent, { lacks }: Witnesses): Promise<BackStep | null> {
    if (lacks.length < 2 && !this.#isAlone) return null;
    const point = await finalBackPoint(this.#deps, lacks, event.place.block - 1);
    if (point === null) return null;
    if (!this.#isAlone) this.#denied.add(event, lacks);
    // Another one each time: who denies a log by receipt may not give the blocks.
    this.#turn += 1;
    const use = point.by[this.#turn % point.by.length] ?? 0;
    return backStep(point.parent, event, use, "two RPCs agree that a disputed log is not there");
  }
}
