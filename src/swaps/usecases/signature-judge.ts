// Judges signatures of EVM accounts (S-31). Code at the address decides, as in the contract: none means ECDSA, code means
// ERC-1271. Takes of asks that a key has signed ask nobody: what stood at the address was read in the last round of
// re-checks. A contract is asked with each take; where its call fails, as one that burns all its gas does, that answer
// is kept for the length of a round. What strangers make all this cost is bounded by `AccountQuestions`.

import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import { zip } from "../../primitives/elements.ts";
import { bytesToHex } from "../../primitives/hex.ts";
import { remember } from "../../primitives/oldest-first.ts";
import { MAX_CONTRACT_SIGNATURE, normaliseSignature } from "../../swap/eip712.ts";
import { hexSignature } from "../../swap/forms.ts";
import type { Clock } from "../../follow/ports.ts";
import type { ContractVerdict, EvmAccounts } from "../lookup-ports.ts";
import { type Asker, QuestionLanes, REQUEST_LANES, shared } from "./question-lanes.ts";

/** A judgement; `kept` is the form in which the signature is stored and handed out, hex with 0x. */
type SignatureVerdict =
  | { readonly kind: "valid"; readonly kept: string; readonly byContract: boolean }
  | { readonly kind: "invalid" }
  /** The account's code could not be read, no two RPCs agree on it, or too many ask about accounts. */
  | { readonly kind: "unavailable" };

/** Recovers the account that signed the digest with a normalised 65-byte signature; null where there is none. */
type RecoverSigner = (digest: Bytes32, signature: Uint8Array) => EvmAddress | null;

/** Who judges an account's signatures: its key, or its contract's code. */
type AccountKind = "key" | "contract";

/** Failed calls that are remembered; each with a signature of up to 4,096 bytes. */
const KEPT_FAILURES = 1_000;
/** Accounts whose kind is remembered. */
const KEPT_KINDS = 100_000;

const INVALID = { kind: "invalid" } as const;
const UNAVAILABLE = { kind: "unavailable" } as const;

interface KeptFailure {
  readonly signature: string;
  readonly untilMs: number;
}

/** What the judge works with. */
interface SignatureJudgeDependencies {
  readonly accounts: EvmAccounts;
  readonly recover: RecoverSigner;
  readonly clock: Clock;
  /** How long a failed call is not tried again: the length of a round, milliseconds. */
  readonly keptMs: number;
}

/** Judges signatures of EVM accounts. */
export class SignatureJudge {
  readonly #deps: SignatureJudgeDependencies;
  readonly #questions: AccountQuestions;
  /** As last read, oldest first. */
  readonly #kinds = new Map<EvmAddress, AccountKind>();
  /** By account and digest, oldest first. */
  readonly #failures = new Map<string, KeptFailure>();

  constructor(deps: SignatureJudgeDependencies) {
    this.#deps = deps;
    this.#questions = new AccountQuestions(deps.accounts, deps.clock);
  }

  /** What stood at the address when it was last read; null where that is not known. */
  known(account: EvmAddress): AccountKind | null {
    return this.#kinds.get(account) ?? null;
  }

  /**
   * What stands at these addresses at the latest block, by one question of a round: null where it cannot be read, and
   * without those on which RPCs contradict each other.
   */
  async readKinds(accounts: readonly EvmAddress[]): Promise<ReadonlyMap<EvmAddress, AccountKind> | null> {
    const answers = await this.#questions.haveCode(accounts);
    if (answers === null) return null;
    return new Map(
      zip(accounts, answers).flatMap(([account, hasCode]) => {
        return hasCode === null ? [] : [[account, this.#keepKind(account, hasCode)]];
      }),
    );
  }

  /** Judges by what stands at the address now. `signature` as the request has it; anything but a text is invalid. */
  async judge(account: EvmAddress, digest: Bytes32, signature: unknown): Promise<SignatureVerdict> {
    const bytes = typeof signature === "string" ? hexSignature(signature, MAX_CONTRACT_SIGNATURE) : null;
    if (bytes === null) return INVALID;
    const hasCode = await this.#questions.hasCode(account);
    if (hasCode === null) return UNAVAILABLE;
    const kind = this.#keepKind(account, hasCode);
    return kind === "key" ? this.#byKey(account, digest, bytes) : this.#byContract(account, digest, bytes);
  }

  #keepKind(account: EvmAddress, hasCode: boolean): AccountKind {
    const kind = hasCode ? "contract" : "key";
    remember(this.#kinds, account, kind, KEPT_KINDS);
    return kind;
  }

  /**
   * Judges a signature that was valid once, by what was read at the address last; nobody is asked where that is known,
   * or where the key's own signature tells that there was no code when it was posted. The next round reads it again.
   */
  async judgeStored(account: EvmAddress, digest: Bytes32, signature: string): Promise<SignatureVerdict> {
    const bytes = hexSignature(signature, MAX_CONTRACT_SIGNATURE);
    if (bytes === null) return INVALID;
    const known = this.known(account);
    if (known === "contract") return this.#byContract(account, digest, bytes);
    const verdict = this.#byKey(account, digest, bytes);
    return known === "key" || verdict.kind === "valid" ? verdict : this.judge(account, digest, signature);
  }

  /** What the contract says now; null where no RPC answers, or too many requests ask. */
  async callContract(
    account: EvmAddress,
    digest: Bytes32,
    signature: string,
    asker: Asker,
  ): Promise<ContractVerdict | null> {
    const { clock, keptMs } = this.#deps;
    const key = `${account}/${digest}`;
    const verdict = await this.#questions.verdict(account, digest, signature, asker);
    if (verdict === null) return null;
    const untilMs = clock.monotonicMs() + keptMs;
    if (verdict === "failed") remember(this.#failures, key, { signature, untilMs }, KEPT_FAILURES);
    else this.#failures.delete(key);
    return verdict;
  }

  async #byContract(account: EvmAddress, digest: Bytes32, bytes: Uint8Array): Promise<SignatureVerdict> {
    const kept = `0x${bytesToHex(bytes)}`;
    const failure = this.#failures.get(`${account}/${digest}`);
    // Of this very signature: a stranger's wrong one must not keep the owner's from being asked about.
    if (failure?.signature === kept && this.#deps.clock.monotonicMs() < failure.untilMs) return INVALID;
    const verdict = await this.callContract(account, digest, kept, "request");
    if (verdict === null) return UNAVAILABLE;
    return verdict === "valid" ? { kind: "valid", kept, byContract: true } : INVALID;
  }

  #byKey(account: EvmAddress, digest: Bytes32, bytes: Uint8Array): SignatureVerdict {
    const normal = normaliseSignature(bytes);
    if (normal === null || this.#deps.recover(digest, normal) !== account) return INVALID;
    return { kind: "valid", kept: `0x${bytesToHex(normal)}`, byContract: false };
  }
}

/**
 * Asks, each question once at a time, whoever has it. A signature is any text, and each one may need a look at its account:
 * requests have lanes, beyond which the request alone has no answer. Rounds of re-checks have a way of their own, which no
 * request can use up, and ask one thing after the other.
 */
class AccountQuestions {
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
