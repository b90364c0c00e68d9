// Writes the lines that a person reads first: where the service is, commands that have something to show, how to stop.

import { FIRST_TICK } from "./opening.ts";

/** What is told at the very beginning. */
export interface Welcome {
  readonly base: string;
  /** What a wallet of the reader's own needs. */
  readonly walletFile: string;
  /** Height of the chain that goes on; null for a new one. */
  readonly continued: number | null;
  /** Swaps that go on; null where there are no swaps. */
  readonly openSwaps: number | null;
}

/** Lines at the very beginning. */
export function welcome({ base, walletFile, continued, openSwaps }: Welcome): string[] {
  const swaps = openSwaps === null ? "" : " and swap PEARL for USDC on an EVM chain beside it";
  const goingOn = openSwaps === null ? "" : `, ${openSwaps} open swaps`;
  const chain =
    continued === null
      ? `A new Pearl simnet chain; eight people deploy, mint, move and trade tokens on it${swaps}.`
      : `The Pearl simnet chain goes on at block ${continued}, with the same people and tokens${goingOn}.`;
  return [
    chain,
    ...(openSwaps === null ? [] : ["Time runs fast: each block is 194 seconds after the one before."]),
    `Open ${base}/ in a browser: tokens, markets, swaps, and every block as it comes.`,
    `The index over it: ${base}  (documents: ${base}/docs, health: ${base}/health)`,
    `For a wallet or program of your own: ${walletFile} has both nodes, and a key with money on each chain (docs/swaps.md).`,
    "Ctrl-C ends it; the next start goes on from there, `npm start -- --fresh` begins anew.",
    "",
  ];
}

/** The commands, exactly as they can be typed; `deal` is a deal's hash, null where swaps have nothing to show. */
function commands(base: string, deal: string | null): string[] {
  const tokens = `${base}/api/v1/prc20`;
  const swaps = `${base}/api/v1/swaps`;
  return [
    `curl -s '${tokens}/tokenlist'`,
    `curl -s '${tokens}/token/${FIRST_TICK}/holders'`,
    `curl -s '${tokens}/market/${FIRST_TICK}/history?limit=5'`,
    `curl -s '${tokens}/oplist?limit=5'`,
    ...(deal === null
      ? []
      : [`curl -s '${swaps}/asks?limit=5'`, `curl -s '${swaps}/deals/${deal}'`, `curl -s '${swaps}/stats'`]),
  ];
}

/** Lines around the commands. */
export function invitation(base: string, deal: string | null): string[] {
  return ["", "In another terminal:", ...commands(base, deal).map((command) => `  ${command}`), ""];
}

/** Lines about the ask that a reader may post. */
export function readerInvitation(base: string, file: string): string[] {
  const command = `curl -s -H 'content-type: application/json' -d '@${file}' '${base}/api/v1/swaps/asks'`;
  return [
    "",
    "A signed ask waits for you: post it, and follow its swap (docs/swaps.md):",
    `  ${command}`,
    "",
  ];
}
