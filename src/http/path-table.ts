// The table of all endpoints, for 404 against 405, `Allow`, and OPTIONS. It looks at raw paths, so that it also answers
// for paths whose percent-encoding is broken.

import { decodedOrRaw } from "../primitives/percent.ts";

/** Stands for the request target `*`, the server as a whole (RFC 9112 §3.2.4): a path that is nobody's. */
export const WHOLE_SERVER = "/*";

/** One known path: its segments, null for a placeholder, and its methods. */
interface KnownPath {
  readonly segments: readonly (string | null)[];
  /** True where anything may follow (files below a folder). */
  readonly open: boolean;
  readonly methods: Set<string>;
}

/** All known paths. */
export class PathTable {
  readonly #paths = new Map<string, KnownPath>();

  /** Adds a method to a path in Fastify's notation (`:name` placeholders, a final `*`). */
  add(method: string, pattern: string): void {
    const known = this.#paths.get(pattern) ?? knownPath(pattern);
    known.methods.add(method);
    this.#paths.set(pattern, known);
  }

  /** The methods of a path, fixed segments before placeholders (H-07); null where there is no such path. */
  methodsOf(path: string): ReadonlySet<string> | null {
    const segments = path.split("/").map(decodedOrRaw);
    let best: KnownPath | null = null;
    for (const known of this.#paths.values()) {
      if (matches(known, segments) && (best === null || isMoreFixed(known, best))) best = known;
    }
    return best?.methods ?? null;
  }
}

function knownPath(pattern: string): KnownPath {
  const open = pattern.endsWith("/*");
  const path = open ? pattern.slice(0, -2) : pattern;
  const segments = path.split("/").map((segment) => (segment.startsWith(":") ? null : segment));
  return { segments, open, methods: new Set(["OPTIONS"]) };
}

function matches(known: KnownPath, segments: readonly string[]): boolean {
  const long = known.segments.length;
  if (known.open ? segments.length <= long : segments.length !== long) return false;
  return known.segments.every((segment, index) => segment === null || segment === segments[index]);
}

/** True where the first segment in which the two differ is fixed in `one`. */
function isMoreFixed(one: KnownPath, other: KnownPath): boolean {
  const index = one.segments.findIndex((segment, at) => segment !== other.segments[at]);
  return index !== -1 && one.segments[index] !== null;
}
