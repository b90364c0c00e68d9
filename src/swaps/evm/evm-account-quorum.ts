// What stands at an account, and what its contract says of a signature, by the words of several EVM RPCs (S-07, S-31). One
// that lies must neither make a forged signature good nor a party's own one bad: two have to say the same.

import { elementAt } from "../../primitives/elements.ts";
import type { ContractVerdict, EvmAccounts } from "../lookup-ports.ts";
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
