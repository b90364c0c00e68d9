// What stands at the contract's address (S-26): code, USDC and least amount. A contract that does not fit refuses the
// start; RPCs that do not answer, or contradict each other, refuse nothing, and are asked on. Until then nothing of the EVM
// chain is followed, which /health and the metrics say as they say that the chain's index does not get on (H-20).

import { escrowAbi } from "../adapters/evm-rpc/escrow-abi.ts";
import type { Condition, ConditionSource } from "../follow/conditions.ts";
import { sentenceOf } from "../follow/follower-errors.ts";
import type { Clock, Log } from "../follow/ports.ts";
import type { EvmStatus } from "../follow/serving.ts";
import type { EscrowInspection, EvmChain } from "../swaps/evm/evm-chain.ts";
import { EvmUnavailable } from "../swaps/evm/evm-unavailable.ts";
import type { EscrowFacts } from "../swaps/usecases/dependencies.ts";
import { CommandRefused } from "./cli/ending.ts";

/** How long a start waits for an RPC to say what stands at the contract's address. */
const INSPECTION_PATIENCE_MS = 5000;
const INSPECTION_RETRY_MS = 5000;

/**
 * Why the contract is not known: nobody has answered, or one alone so far; no two of several RPCs agree; or what was
 * answered does not fit the configuration.
 */
type Hindrance = "silence" | "contradiction" | "misfit";

/** Asks until an RPC answers. */
export class EscrowQuestion implements ConditionSource {
  readonly #chain: Pick<EvmChain, "inspectEscrow">;
  readonly #firstBlock: number;
  readonly #log: Log;
  readonly #clock: Clock;
  #facts: EscrowFacts | null = null;
  #hindrance: Hindrance | null = null;
  /** What was asked at the start, where its answer is still to come. */
  #late: Promise<EscrowInspection> | null = null;
  /** What was said last of why nobody answers: the same again and again is one line. */
  #told = "";

  constructor(chain: Pick<EvmChain, "inspectEscrow">, firstBlock: number, log: Log, clock: Clock) {
    this.#chain = chain;
    this.#firstBlock = firstBlock;
    this.#log = log;
    this.#clock = clock;
  }

  /** Null until the contract is known and fits. */
  get facts(): EscrowFacts | null {
    return this.#facts;
  }

  /** The status of the EVM side, of which the follower alone knows nothing before it may begin. */
  status(followed: EvmStatus): EvmStatus {
    return this.#hindrance === null ? followed : { ...followed, indexingStatus: "stalled" };
  }

  conditions(): readonly Condition[] {
    if (this.#hindrance === null) return [];
    return [{ code: "EVM_STALLED", sentence: HINDRANCES[this.#hindrance] }];
  }

  /** Throws `CommandRefused` where the contract does not fit; an RPC that does not answer in time refuses nothing. */
  async askAtStart(): Promise<void> {
    const patience = new AbortController();
    const asked = this.#chain.inspectEscrow();
    this.#late = asked;
    const inspected = asked.then(
      (found) => found,
      (error: unknown) => {
        this.#unanswered(error);
        this.#late = null;
        return null;
      },
    );
    const silence = this.#clock.sleep(INSPECTION_PATIENCE_MS, patience.signal).then(() => null);
    const found = await Promise.race([inspected, silence]);
    patience.abort();
    if (found === null) {
      this.#hindrance ??= "silence";
      return;
    }
    if (found.faults.length > 0) throw new CommandRefused(found.faults);
    this.#keep(found);
  }

  /** Asks until the contract is known and fits, or the signal aborts. */
  async settle(signal: AbortSignal): Promise<void> {
    let told = "";
    while (this.#facts === null && !signal.aborted) {
      try {
        const late = this.#late;
        this.#late = null;
        // One of several RPCs may hang, and a new question would wait for it from the beginning.
        const found = await (late ?? this.#chain.inspectEscrow());
        const faults = found.faults.join("; ");
        if (faults === "") {
          this.#log.info({}, "an EVM RPC answers: swaps go on");
          return this.#keep(found);
        }
        this.#hindrance = "misfit";
        // The service runs already: it serves tokens, and swaps stay unavailable until an operator acts.
        if (faults !== told) this.#log.error({ faults }, "alarm: the escrow does not fit the configuration");
        told = faults;
      } catch (error) {
        if (!signal.aborted) this.#unanswered(error);
      }
      await this.#clock.sleep(INSPECTION_RETRY_MS, signal);
    }
  }

  #unanswered(error: unknown): void {
    const isContradiction = error instanceof EvmUnavailable && error.code === "UNSETTLED";
    this.#hindrance = isContradiction ? "contradiction" : "silence";
    const sentence = sentenceOf(error);
    if (sentence === this.#told) return;
    this.#told = sentence;
    if (isContradiction)
      this.#log.error({ error: sentence }, "alarm: the EVM RPCs do not agree on the escrow; swaps wait");
    else this.#log.warn({ error: sentence }, "no EVM RPC answers yet; swaps wait for one");
  }

  #keep({ usdc, minUsdc }: EscrowInspection): void {
    if (usdc === null || minUsdc === null)
      throw new Error("an escrow without faults has usdc() and minUsdc()");
    this.#facts = { usdc, minUsdc, firstBlock: this.#firstBlock, abi: escrowAbi };
    this.#hindrance = null;
  }
}

const HINDRANCES: Readonly<Record<Hindrance, string>> = {
  silence:
    "The EVM RPCs have not said yet what stands at ESCROW_ADDRESS since this service was started, so swaps stand still: none " +
    "has answered, or one alone while the others are waited for. The log says which RPC fails and why; check EVM_RPC_URLS.",
  contradiction:
    "No two EVM RPCs agree on what stands at ESCROW_ADDRESS, so swaps stand still. The log says what each of them shows; " +
    "check EVM_RPC_URLS, then ESCROW_ADDRESS and EVM_CHAIN_ID.",
  misfit:
    "What the EVM RPCs show is not the configured escrow, so swaps stand still. The log says what differs; check " +
    "ESCROW_ADDRESS, EVM_CHAIN_ID and EVM_RPC_URLS, then start the service again.",
};
