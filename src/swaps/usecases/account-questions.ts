// Asks about EVM accounts (S-31), with bounds on what strangers make it cost: a signature is any text, and each one may
// need a look at its account. Requests have four lanes and a queue of 64; beyond these the request alone has no answer.
// Rounds of re-checks have a way of their own, which no request can use up, and ask one thing after the other.

import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { Clock } from "../../follow/ports.ts";
import type { ContractVerdict, EvmAccounts } from "../ledger/ports.ts";

/** For whom accounts are asked about. */
export type AccountLane = "round" | "request";

/** Questions of requests at once. */
const MAX_IN_FLIGHT = 4;
/** Requests that may wait for theirs. */
const MAX_WAITING = 64;
/** Whoever has waited so long is not asked for any more: an RPC that hangs must not hold the whole queue in turn. */
const MAX_WAIT_MS = 5000;

/** Asks, each question once at a time, whoever has it. */
export class AccountQuestions {
  readonly #accounts: EvmAccounts;
  readonly #clock: Clock;
  readonly #kinds = new Map<EvmAddress, Promise<boolean | null>>();
  readonly #verdicts = new Map<string, Promise<ContractVerdict | null>>();
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;

  constructor(accounts: EvmAccounts, clock: Clock) {
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /** Whether there is code at an address, for a request; null where it cannot be told, or too many ask. */
  hasCode(account: EvmAddress): Promise<boolean | null> {
    return shared(this.#kinds, account, () =>
      this.#inLane(async () => (await this.#accounts.haveCode([account]))[0] === true),
    );
  }

  /** Whether there is code at each address, for a round; null where it cannot be told. */
  async haveCode(accounts: readonly EvmAddress[]): Promise<readonly boolean[] | null> {
    try {
      return await this.#accounts.haveCode(accounts);
    } catch {
      return null;
    }
  }

  /** What a contract says of a signature (hex with 0x) now; null where it cannot be told, or too many ask. */
  verdict(
    account: EvmAddress,
    digest: Bytes32,
    signature: string,
    lane: AccountLane,
  ): Promise<ContractVerdict | null> {
    const ask = async () => this.#accounts.judgeSignature(account, digest, signature);
    if (lane === "round") return ask().catch(() => null);
    return shared(this.#verdicts, `${account}/${digest}/${signature}`, () => this.#inLane(ask));
  }

  /** The answer when a lane is free; null where none will be soon, and where nobody answers. Never rejects. */
  async #inLane<Value>(ask: () => Promise<Value>): Promise<Value | null> {
    // Whoever ends hands its place on, so that nobody who comes in between takes it.
    if (this.#inFlight < MAX_IN_FLIGHT) this.#inFlight += 1;
    else if (this.#waiting.length >= MAX_WAITING) return null;
    else if (!(await this.#turn())) return null;
    try {
      return await ask();
    } catch {
      return null;
    } finally {
      this.#handOn();
    }
  }

  /** Waits for a place; false, with the place handed on, where it came too late. */
  async #turn(): Promise<boolean> {
    const fromMs = this.#clock.monotonicMs();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#clock.monotonicMs() - fromMs < MAX_WAIT_MS) return true;
    this.#handOn();
    return false;
  }

  #handOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#inFlight -= 1;
    else next();
  }
}

/** The answer to a question that is under way, or to a new one. `ask` never rejects. */
function shared<Key, Value>(
  underWay: Map<Key, Promise<Value>>,
  key: Key,
  ask: () => Promise<Value>,
): Promise<Value> {
  const known = underWay.get(key);
  if (known !== undefined) return known;
  const answer = ask().finally(() => underWay.delete(key));
  underWay.set(key, answer);
  return answer;
}
