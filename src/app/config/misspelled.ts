// Finds environment variables that were meant to be settings, and the known name that is nearest to a written one. A
// misspelled setting is otherwise ignored in silence, and the service runs with a default that nobody chose.

import { elementAt } from "../../primitives/elements.ts";
import { SETTING_LIST } from "./declaration.ts";

/** Variables with these beginnings are nobody else's; those named here are read by other parts of this program. */
const OWN_PREFIXES = ["STRAND_", "PEARL_RPC_", "PRC20_"];
const OTHER_OWN: readonly string[] = ["STRAND_VERBOSE", "STRAND_REQUIRE_ALL"];
/** Names of fewer characters are within two mistakes of anybody's variable: HOME of HOST, SORT of PORT. */
const SHORTEST = 8;

const SETTING_NAMES: readonly string[] = SETTING_LIST.map(({ name }) => name);

/**
 * One sentence for each variable that looks like a setting and is none: its name is at most two mistakes away from that
 * of a setting which is not set, or it begins like ours. Values are not looked at and not told.
 */
export function misspelledSettings(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const isSet = (name: string): boolean => (environment[name] ?? "") !== "";
  const sentences: string[] = [];
  for (const name of Object.keys(environment).toSorted()) {
    const upper = name.toUpperCase();
    if (!isSet(name) || SETTING_NAMES.includes(name) || OTHER_OWN.includes(name)) continue;
    const meant = meantBy(upper, isSet);
    const isOwn = OWN_PREFIXES.some((prefix) => upper.startsWith(prefix));
    if (meant === null && !isOwn) continue;
    const advice =
      meant === null ? "see `./bin/strand start --help` for all settings" : `did you mean ${meant}?`;
    sentences.push(`${name} is set in the environment and is no setting: ${advice}`);
  }
  return sentences;
}

function meantBy(name: string, isSet: (name: string) => boolean): string | null {
  if (name.length < SHORTEST || !name.includes("_")) return null;
  return nearestName(
    name,
    SETTING_NAMES.filter((setting) => setting.length >= SHORTEST && !isSet(setting)),
    2,
  );
}

/** Number of inserted, removed and replaced characters between two texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replace = elementAt(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, elementAt(row, j) + 1, elementAt(next, j - 1) + 1));
    }
    row = next;
  }
  return elementAt(row, b.length);
}

/** The known name nearest to a written one, or null where none is at most `most` characters away. */
export function nearestName(
  written: string,
  known: readonly string[],
  most = Math.max(2, Math.floor(written.length / 4)),
): string | null {
  let best: string | null = null;
  let least = most + 1;
  for (const name of known) {
    const far = distance(written, name);
    if (far < least) {
      least = far;
      best = name;
    }
  }
  return best;
}
