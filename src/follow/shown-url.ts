// Makes the form of an outside service's URL that messages may show. Keys of such services stand in user, password,
// path, query and subdomains, so a host is shown only where it is an IP address or localhost: neither can be a key.

/** Scheme, and host with port where the host is an IP address or localhost; `https://…` for everything else. */
export function shownUrl(url: URL): string {
  const isAddress = /^(\[[0-9a-f:.]+\]|\d+\.\d+\.\d+\.\d+|localhost)$/i.test(url.hostname);
  return `${url.protocol}//${isAddress ? url.host : "…"}`;
}
