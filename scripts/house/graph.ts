// A graph of files that import each other: its circles, its longest chain and what can be reached from somewhere.

/** Of each file those that it imports; a target that is no key of the map is ignored. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Strongly connected components, each after all that it imports (Tarjan). One of more than one file is a circle: each
 * of its files imports, over others, itself.
 */
export function components(graph: Graph): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const found: string[][] = [];
  const enter = (file: string): void => {
    const number = order.size;
    order.set(file, number);
    low.set(file, number);
    open.push(file);
    isOpen.add(file);
    for (const next of graph.get(file) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) enter(next);
      else if (!isOpen.has(next)) continue;
      low.set(file, Math.min(low.get(file) ?? number, low.get(next) ?? number));
    }
    if (low.get(file) !== number) return;
    const members = open.splice(open.indexOf(file));
    for (const member of members) isOpen.delete(member);
    found.push(members);
  };
  for (const file of graph.keys()) if (!order.has(file)) enter(file);
  return found;
}

/** The longest chain of imports, importer first; of a circle only the file where the chain comes in is named. */
export function longestChain(graph: Graph): readonly string[] {
  const chains = new Map<string, readonly string[]>();
  let longest: readonly string[] = [];
  for (const members of components(graph)) {
    const inside = new Set(members);
    let below: readonly string[] = [];
    for (const member of members) {
      for (const next of graph.get(member) ?? []) {
        const chain = inside.has(next) ? [] : (chains.get(next) ?? []);
        if (chain.length > below.length) below = chain;
      }
    }
    for (const member of members) chains.set(member, [member, ...below]);
    if (below.length + 1 > longest.length) longest = [members[0] ?? "", ...below];
  }
  return longest;
}

/**
 * The longest of all shortest ways from one file to another, in files: how many doors a reader opens at most who knows
 * the way.
 */
export function depth(graph: Graph): number {
  let deepest = 0;
  for (const start of graph.keys()) {
    const steps = new Map([[start, 1]]);
    // A map can grow while it is walked.
    for (const [file, step] of steps) {
      deepest = Math.max(deepest, step);
      for (const next of graph.get(file) ?? [])
        if (graph.has(next) && !steps.has(next)) steps.set(next, step + 1);
    }
  }
  return deepest;
}

/** All files that the entries reach, the entries included, sorted. */
export function reach(graph: Graph, entries: readonly string[]): readonly string[] {
  const seen = new Set<string>(entries);
  // A set can grow while it is walked.
  for (const file of seen) for (const next of graph.get(file) ?? []) if (graph.has(next)) seen.add(next);
  return [...seen].toSorted();
}
