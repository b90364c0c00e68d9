// What the URL of a database says of TLS, in the one way in which the driver and this program mean the same by it.

/** Modes that the driver takes for `verify-full`, and says on standard error that a later one will take for less. */
const TAKEN_FOR_FULL: ReadonlySet<string> = new Set(["prefer", "require", "verify-ca"]);

/**
 * The URL with `sslmode=verify-full` where it asks for TLS in a mode that is taken for that: certificate and name are
 * checked, whatever a later driver makes of the mode. Untouched where it asks for the weaker modes of libpq by
 * `uselibpqcompat=true`, and where it is no URL.
 */
export function withCheckedTls(url: string): string {
  if (!URL.canParse(url)) return url;
  const { searchParams } = new URL(url);
  const mode = searchParams.getAll("sslmode").at(-1);
  if (mode === undefined || !TAKEN_FOR_FULL.has(mode)) return url;
  if (searchParams.getAll("uselibpqcompat").at(-1) === "true") return url;
  // The last one counts, and what stands before it stays as it was written.
  return `${url}&sslmode=verify-full`;
}
