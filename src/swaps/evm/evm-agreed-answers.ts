// What stands at an account, what its contract says of a signature (S-31), and what stands at the escrow's address (S-26), by
// the words of several EVM RPCs. One that lies must neither make a forged signature good nor a party's own one bad, neither
// refuse a start nor give the escrow another token or least amount: two have to say the same, as everywhere (S-07).

import { elementAt } from "../../primitives/elements.ts";
import type { ContractVerdict, EvmAccounts } from "../lookup-ports.ts";
import type { EscrowInspection } from "./evm-chain.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import { wordsUntil } from "./evm-words.ts";

/** RPCs that have to say the same. */
const WORDS_NEEDED = 2;
/**
 * Questions that one of several RPCs may hold at a time. Nobody waits for one that is slow, so that what strangers ask would
 * pile up before it; beyond this it is not asked. More than are ever waited for at a time.
 */
const HELD_AT_ONCE = 8;

/** The accounts by what two of these RPCs say; by its own word where there is one RPC only. */
export function agreedAccounts(rpcs: readonly EvmAccounts[]): EvmAccounts {
  const [only, ...others] = rpcs;
  if (only !== undefined && others.length === 0) return only;
  const bounded = rpcs.map((rpc) => new BoundedRpc(rpc));
  return {
    haveCode: async (addresses) => {
      const words = await twoWords(
        bounded,
        (rpc) => rpc.haveCode(addresses),
        (some) => addresses.every((_, i) => agreedAt(i, some) !== null),
      );
      return addresses.map((_, i) => agreedAt(i, words));
    },
    judgeSignature: async (address, digest, signature) => {
      const ask = (rpc: EvmAccounts) => rpc.judgeSignature(address, digest, signature);
      const words = await twoWords(bounded, ask, (some) => agreedVerdict(some) !== null);
      const verdict = agreedVerdict(words);
      if (verdict !== null) return verdict;
      throw new EvmUnavailable("UNSETTLED", `no two EVM RPCs agree on a signature of ${address}`);
    },
  };
}

/** Words of two or more. Rejects with the last `EvmUnavailable` where fewer have one. */
async function twoWords<Word>(
  rpcs: readonly BoundedRpc[],
  question: (rpc: EvmAccounts) => Promise<Word>,
  isEnough: (words: readonly Word[]) => boolean,
): Promise<readonly Word[]> {
  const { words, failure } = await wordsUntil(
    rpcs.map((rpc) => rpc.ask(question)),
    isEnough,
  );
  if (words.length >= WORDS_NEEDED) return words;
  throw failure ?? new EvmUnavailable("UNREACHABLE", "no EVM RPC is configured");
}

/** What two of these words say and no other two contradict; null where there is no such thing. */
function agreed(words: readonly (boolean | null)[]): boolean | null {
  const [yes, no] = [true, false].map((word) => words.filter((one) => one === word).length >= WORDS_NEEDED);
  return yes === no ? null : yes === true;
}

/** What two of these RPCs say of the account at an index. */
function agreedAt(i: number, words: readonly (readonly (boolean | null)[])[]): boolean | null {
  return agreed(words.map((word) => elementAt(word, i)));
}

/** A signature that two do not take is failed where the call has failed with all of these. */
function agreedVerdict(words: readonly ContractVerdict[]): ContractVerdict | null {
  const isValid = agreed(words.map((word) => word === "valid"));
  if (isValid === null) return null;
  if (isValid) return "valid";
  return words.some((word) => word === "invalid") ? "invalid" : "failed";
}

/** One of several RPCs, which is asked while it does not hold too many questions. */
class BoundedRpc {
  readonly #rpc: EvmAccounts;
  #held = 0;

  constructor(rpc: EvmAccounts) {
    this.#rpc = rpc;
  }

  async ask<Word>(question: (rpc: EvmAccounts) => Promise<Word>): Promise<Word> {
    if (this.#held >= HELD_AT_ONCE)
      throw new EvmUnavailable("BUSY", "an EVM RPC still holds too many questions about accounts");
    this.#held += 1;
    try {
      return await question(this.#rpc);
    } finally {
      this.#held -= 1;
    }
  }
}

/** An RPC and its answer, which rejects with `EvmUnavailable` where there is none. */
export interface AskedRpc {
  readonly name: string;
  readonly found: Promise<EscrowInspection>;
}

/** What one RPC has shown. */
interface Shown {
  readonly name: string;
  readonly found: EscrowInspection;
}

/**
 * What two of these RPCs show; the word of the only one, where there is one. Where one of several answers alone, the
 * escrow fits by its word: what two have to agree on later waits for another one anyway. Rejects with `EvmUnavailable`:
 * where none answers, and, UNSETTLED, where no two agree that it fits or that it does not.
 */
export async function agreedInspection(asked: readonly AskedRpc[]): Promise<EscrowInspection> {
  const { words: shown, failure } = await wordsUntil(
    asked.map(async ({ name, found }): Promise<Shown> => ({ name, found: await found })),
    (some) => agreedFit(some) !== null,
  );
  const fitting = agreedFit(shown);
  if (fitting !== null) return fitting;
  const misfits = shown.filter(({ found }) => found.faults.length > 0);
  if (misfits.length >= Math.min(WORDS_NEEDED, asked.length)) {
    const faults = new Set(misfits.flatMap(({ found }) => found.faults));
    return { faults: [...faults], usdc: null, minUsdc: null };
  }
  const [only, ...others] = shown;
  if (only === undefined) throw failure ?? new EvmUnavailable("UNREACHABLE", "no EVM RPC is configured");
  if (others.length === 0 && misfits.length === 0) return only.found;
  const said = shown.map(({ name, found }) => `${name}: ${shownText(found)}`).join("; ");
  throw new EvmUnavailable(
    "UNSETTLED",
    `no two EVM RPCs agree on what stands at the escrow's address: ${said}`,
  );
}

function agreedFit(shown: readonly Shown[]): EscrowInspection | null {
  const fitting = shown.filter(({ found }) => found.faults.length === 0);
  const shownTwice = fitting.find(({ found, name }) =>
    fitting.some((other) => other.name !== name && shownText(other.found) === shownText(found)),
  );
  return shownTwice?.found ?? null;
}

function shownText({ faults, usdc, minUsdc }: EscrowInspection): string {
  return faults.length > 0 ? faults.join("; ") : `usdc() ${usdc ?? ""}, minUsdc() ${minUsdc ?? ""}`;
}
