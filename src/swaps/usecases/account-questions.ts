// Asks about EVM accounts (S-31), with bounds on what strangers make it cost: a signature is any text, and each one may
// need a look at its account. Requests have lanes, beyond which the request alone has no answer. Rounds of re-checks have
// a way of their own, which no request can use up, and ask one thing after the other.

import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { Clock } from "../../follow/ports.ts";
import type { ContractVerdict, EvmAccounts } from "../lookup-ports.ts";
import { type Asker, QuestionLanes, REQUEST_LANES, shared } from "./question-lanes.ts";

/** Asks, each question once at a time, whoever has it. */
export class AccountQuestions {
  readonly #accounts: EvmAccounts;
  readonly #lanes: QuestionLanes;
  readonly #kinds = new Map<EvmAddress, Promise<boolean | null>>();
  readonly #verdicts = new Map<string, Promise<ContractVerdict | null>>();

  constructor(accounts: EvmAccounts, clock: Clock) {
    this.#accounts = accounts;
    this.#lanes = new QuestionLanes(REQUEST_LANES, clock);
  }

  /** Whether there is code at an address, for a request; null where it cannot be told, or too many ask. */
  hasCode(account: EvmAddress): Promise<boolean | null> {
    return shared(this.#kinds, account, () =>
      this.#lanes.ask(async () => (await this.#accounts.haveCode([account]))[0] ?? null),
    );
  }

  /** Whether there is code at each address, for a round; null where it cannot be told, of one or of all. */
  async haveCode(accounts: readonly EvmAddress[]): Promise<readonly (boolean | null)[] | null> {
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
    asker: Asker,
  ): Promise<ContractVerdict | null> {
    const ask = async () => this.#accounts.judgeSignature(account, digest, signature);
    if (asker === "round") return ask().catch(() => null);
    return shared(this.#verdicts, `${account}/${digest}/${signature}`, () => this.#lanes.ask(ask));
  }
}
