// Decimals of tokens, which operation and listing rows do not carry: each token is asked for once, and again after a
// reorganisation, which may have replaced its deploy.

import { useEffect, useState } from "preact/hooks";
import { isFailure, read } from "../answers.ts";
import { reorganisations } from "../live.ts";
import { useStore } from "../store.ts";
import type { Envelope, TokenRow } from "../wire.ts";

const known = new Map<string, number>();
const asked = new Map<string, Promise<number | null>>();
reorganisations.watch(() => {
  known.clear();
  asked.clear();
});

/** The token's decimals; null while they are not known, and for a token that does not exist. */
export function useDecimals(tick: string | null): number | null {
  const [, setArrived] = useState(0);
  const branch = useStore(reorganisations);
  const decimals = tick === null ? null : (known.get(tick) ?? null);
  useEffect(() => {
    if (tick === null || tick === "" || known.has(tick)) return undefined;
    let isGone = false;
    void decimalsOf(tick).then((found) => {
      if (found !== null && !isGone) setArrived((count) => count + 1);
    });
    return () => {
      isGone = true;
    };
  }, [tick, branch]);
  return decimals;
}

function decimalsOf(tick: string): Promise<number | null> {
  const before = asked.get(tick);
  if (before !== undefined) return before;
  const asking = read<Envelope<TokenRow>>(`/api/v1/prc20/token/${encodeURIComponent(tick)}`).then(
    (answer) => {
      const dec = isFailure(answer) ? undefined : answer.result[0]?.dec;
      // An unknown one may be deployed later, or by the branch that a reorganisation brings.
      if (dec === undefined) asked.delete(tick);
      else known.set(tick, Number(dec));
      return dec === undefined ? null : Number(dec);
    },
  );
  asked.set(tick, asking);
  return asking;
}
