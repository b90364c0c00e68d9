// What messages show of the URL of an outside service. Keys of such services stand in user, password, path, query and
// in subdomains, so only an address that is no name is shown: it can be nobody's key.

/** Scheme, and host with port where the host is an IP address or localhost; `https://…` for everything else. */
export function shownUrl(url: URL): string {
  const isAddress = /^(\[[0-9a-f:.]+\]|\d+\.\d+\.\d+\.\d+|localhost)$/i.test(url.hostname);
  return `${url.protocol}//${isAddress ? url.host : "…"}`;
}
