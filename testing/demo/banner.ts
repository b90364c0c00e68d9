// What does a person read first? Where the service is, four commands that have something to show, how to stop.

import { FIRST_TICK } from "./opening.ts";

/** Lines at the very beginning. */
export function welcome(base: string, continued: number | null): string[] {
  const chain =
    continued === null
      ? "A new Pearl simnet chain; eight people deploy, mint, move and trade tokens on it."
      : `The Pearl simnet chain goes on at block ${continued}, with the same people and tokens.`;
  return [
    chain,
    `The index over it: ${base}  (documents: ${base}/docs, health: ${base}/health)`,
    "Ctrl-C ends it; the next start goes on from there, `npm start -- --fresh` begins anew.",
    "",
  ];
}

/** The four commands, exactly as they can be typed. */
function commands(base: string): string[] {
  const api = `${base}/api/v1/prc20`;
  return [
    `curl -s '${api}/tokenlist'`,
    `curl -s '${api}/token/${FIRST_TICK}/holders'`,
    `curl -s '${api}/market/${FIRST_TICK}/history?limit=5'`,
    `curl -s '${api}/oplist?limit=5'`,
  ];
}

/** Lines around the commands. */
export function invitation(base: string): string[] {
  return ["", "In another terminal:", ...commands(base).map((command) => `  ${command}`), ""];
}
