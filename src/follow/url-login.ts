// Takes the login out of the URL of an outside service: `fetch` takes no URL with one, and repeats it in its refusal.

import { decodedOrRaw } from "../primitives/percent.ts";

/** A URL without its login. */
export interface BareUrl {
  readonly url: URL;
  /** Value of the header that carries the login; null where there is none. */
  readonly authorization: string | null;
}

/** The URL without its login, and the login as the header that stands for it (RFC 7617). */
export function withoutLogin(full: URL): BareUrl {
  const url = new URL(full);
  url.username = "";
  url.password = "";
  const login = `${decodedOrRaw(full.username)}:${decodedOrRaw(full.password)}`;
  return {
    url,
    authorization: login === ":" ? null : `Basic ${Buffer.from(login).toString("base64")}`,
  };
}
