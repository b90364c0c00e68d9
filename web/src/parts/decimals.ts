// Decimals of tokens, which operation and listing rows do not carry: each token is asked for once, after a failure again,
// and again after a reorganisation, which may have replaced its deploy, or where one may have been missed.

import { useEffect } from "preact/hooks";
import { isFailure, isPassing, read, WAIT_BEFORE_AGAIN_MS } from "../answers.ts";
import { gaps, reorganisations } from "../live.ts";
import { Store, useStore } from "../store.ts";
import type { Envelope, TokenRow } from "../wire.ts";

/** Null while they are not known, and for a token that does not exist. */
const known = new Map<string, Store<number | null>>();
const asked = new Set<string>();
/** Known ones that stand until they are asked for again and answered. */
const doubted = new Set<string>();
gaps.watch(() => {
  for (const tick of known.keys()) doubted.add(tick);
});
reorganisations.watch(() => {
  asked.clear();
  for (const decimals of known.values()) decimals.set(null);
});

/** The token's decimals; null while they are not known, and for a token that does not exist. */
export function useDecimals(tick: string | null): number | null {
  const branch = useStore(reorganisations);
  const gap = useStore(gaps);
  const decimals = decimalsOf(tick ?? "");
  useEffect(() => ask(tick ?? "", branch), [tick, branch, gap]);
  // A store, and not the moment of the answer: it may come between the drawing and the effect.
  useStore(decimals);
  return decimals.value;
}

function decimalsOf(tick: string): Store<number | null> {
  const before = known.get(tick);
  if (before !== undefined) return before;
  const decimals = new Store<number | null>(null);
  known.set(tick, decimals);
  return decimals;
}

function ask(tick: string, branch: number): void {
  const decimals = decimalsOf(tick);
  const isKnown = decimals.value !== null && !doubted.has(tick);
  if (tick === "" || asked.has(tick) || isKnown || branch !== reorganisations.value) return;
  asked.add(tick);
  doubted.delete(tick);
  void read<Envelope<TokenRow>>(`/api/v1/prc20/token/${encodeURIComponent(tick)}`).then((answer) => {
    if (branch !== reorganisations.value) return;
    asked.delete(tick);
    if (isFailure(answer)) {
      // Without an answer the doubt stands: who asks again must not take what is shown for known.
      doubted.add(tick);
      if (isPassing(answer.status)) setTimeout(() => ask(tick, branch), WAIT_BEFORE_AGAIN_MS);
      return;
    }
    // An unknown one may be deployed later, or by the branch that a reorganisation brings.
    const dec = answer.result[0]?.dec;
    decimals.set(dec === undefined ? null : Number(dec));
    // News were missed while the answer was on its way: it may be older than they.
    if (doubted.has(tick)) ask(tick, branch);
  });
}
