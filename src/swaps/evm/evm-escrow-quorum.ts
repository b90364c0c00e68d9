// What stands at the escrow's address, by the words of several EVM RPCs (S-26). One that lies must neither refuse a start
// nor give the escrow another token or least amount: two have to say the same, as everywhere (S-07).

import type { EscrowInspection } from "./evm-chain.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import { wordsUntil } from "./evm-words.ts";

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
  if (misfits.length >= Math.min(2, asked.length)) {
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
  const agreed = fitting.find(({ found, name }) =>
    fitting.some((other) => other.name !== name && shownText(other.found) === shownText(found)),
  );
  return agreed?.found ?? null;
}

function shownText({ faults, usdc, minUsdc }: EscrowInspection): string {
  return faults.length > 0 ? faults.join("; ") : `usdc() ${usdc ?? ""}, minUsdc() ${minUsdc ?? ""}`;
}
