// The page's addresses: every thing that one can look at has one. The service knows the same paths
// (`src/http/routes/`), and answers 404 where the thing does not exist.

import { Store } from "./store.ts";

/** Which page an address names, with the parts of it that name a thing. */
export interface Place {
  readonly page: PageName;
  /** Named parts of the path, decoded. */
  readonly parts: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Path and query as they stand in the address bar. */
  readonly href: string;
}

const PATTERNS = {
  front: "/",
  tokens: "/tokens",
  markets: "/markets",
  operations: "/operations",
  blocks: "/blocks",
  mempool: "/mempool",
  swaps: "/swaps",
  status: "/status",
  search: "/search",
  token: "/token/:tick",
  listing: "/listing/:id",
  address: "/address/:address",
  transaction: "/tx/:txid",
  operation: "/op/:txid/:vout",
  block: "/block/:block",
  swap: "/swap/:hash",
  ask: "/ask/:id",
} as const;

/** Name of a page; "unknown" for an address of none. */
export type PageName = keyof typeof PATTERNS | "unknown";

/** Takes an address apart. */
export function placeOf(href: string): Place {
  const url = new URL(href, "http://page");
  const segments = url.pathname.split("/").filter((segment) => segment !== "");
  const rest = { query: url.searchParams, href: url.pathname + url.search };
  for (const [page, pattern] of Object.entries(PATTERNS)) {
    const parts = matched(pattern, segments);
    if (parts !== null) return { page: page as PageName, parts, ...rest };
  }
  return { page: "unknown", parts: {}, ...rest };
}

function matched(pattern: string, segments: readonly string[]): Record<string, string> | null {
  const wanted = pattern.split("/").filter((segment) => segment !== "");
  if (wanted.length !== segments.length) return null;
  const parts: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const name = wanted[index] ?? "";
    if (name.startsWith(":")) parts[name.slice(1)] = decoded(segment);
    else if (name !== segment) return null;
  }
  return parts;
}

/** A segment as text; one that is no text stays as it is, so that the page can show what was asked for. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Addresses of things. */
export const pathTo = {
  token: (tick: string, view?: string) => `/token/${encodeURIComponent(tick)}${view ? `?view=${view}` : ""}`,
  listing: (id: string) => `/listing/${id}`,
  address: (address: string, view?: string) => `/address/${address}${view ? `?view=${view}` : ""}`,
  transaction: (txid: string) => `/tx/${txid}`,
  operation: (txid: string, vout: number) => `/op/${txid}/${vout}`,
  block: (height: number) => `/block/${height}`,
  swap: (hash: string) => `/swap/${hash}`,
  ask: (id: string) => `/ask/${id}`,
  search: (text: string) => `/search?q=${encodeURIComponent(text)}`,
} as const;

/** The same address with other parameters; an empty value takes a parameter away. */
export function withQuery(place: Place, changes: Readonly<Record<string, string>>): string {
  const url = new URL(place.href, "http://page");
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.pathname + url.search;
}

/** Where the visitor is. */
export const place = new Store<Place>(placeOf("/"));

/** Goes to an address of this page, as a click on a link does. */
export function goTo(href: string): void {
  keepScroll();
  history.pushState(null, "", href);
  place.set(placeOf(href));
  scrollTo(0, 0);
}

function keepScroll(): void {
  history.replaceState({ ...history.state, scroll: scrollY }, "");
}

/** Follows links inside the page, and the browser's back and forward. */
export function followNavigation(): void {
  place.set(placeOf(location.href));
  addEventListener("popstate", (event) => {
    place.set(placeOf(location.href));
    const scroll = (event.state as { scroll?: number } | null)?.scroll ?? 0;
    requestAnimationFrame(() => scrollTo(0, scroll));
  });
  addEventListener("pagehide", keepScroll);
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || !isOurs(link, event)) return;
    event.preventDefault();
    goTo(link.pathname + link.search);
  });
}

/** Whether a click is to be followed inside the page: not to other programs of the service, not into a new tab. */
function isOurs(link: HTMLAnchorElement, event: MouseEvent): boolean {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!isPlain || event.defaultPrevented || link.target !== "" || link.hasAttribute("download")) return false;
  return link.origin === location.origin && placeOf(link.href).page !== "unknown" && link.hash === "";
}
