// An RPC URL taken apart: where to connect, what to send as authorization, and a name for messages. Such URLs often hold
// the operator's key in their path, query or password.

import { shownUrl } from "../../follow/shown-url.ts";
import type { RpcTarget } from "../json-rpc/http-post.ts";

/** Without percent signs; as it stands where they mean nothing. */
function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Reads the URL. `place`: which one of EVM_RPC_URLS it is, from 1 on, since its name says little.
 * @throws TypeError with a sentence that does not repeat the text, where it is no http: or https: URL.
 */
export function rpcUrlOf(text: string, place?: number): RpcTarget {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new TypeError("an EVM RPC URL must begin with http:// or https://");
  }
  const { username, password } = url;
  url.username = "";
  url.password = "";
  url.hash = "";
  const credentials = `${plain(username)}:${plain(password)}`;
  return {
    url,
    authorization:
      username === "" && password === "" ? null : `Basic ${Buffer.from(credentials).toString("base64")}`,
    tls: {},
    gzip: url.protocol === "https:",
    name: place === undefined ? shownUrl(url) : `${shownUrl(url)} (no. ${place})`,
  };
}
