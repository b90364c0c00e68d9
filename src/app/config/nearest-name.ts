// Which name did somebody mean? For messages about a misspelled flag or command.

/** Number of inserted, removed and replaced characters between two texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
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
