// Turns the options that say how the node is reached and which certificate is trusted into connection settings, the
// same for HTTP and WebSocket.

import { X509Certificate } from "node:crypto";
import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from "node:tls";

import { shownUrl } from "../../follow/shown-url.ts";
import type { RpcTarget } from "../json-rpc/http-post.ts";

/** Where the node listens and who asks. */
export interface NodeAddress {
  /** `http://host:port` or `https://host:port`. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** PEM text: a certificate authority, or the node's own certificate (pearld's `rpc.cert`). */
  readonly ca?: string;
}

/** Settings that both clients share. */
export interface Endpoint extends RpcTarget {
  readonly authorization: string;
}

function pemBlocks(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/**
 * Verification is never off. With a given PEM only that is trusted, and a peer that shows exactly one of its
 * certificates is accepted whatever host name stands in it: pearld makes its own for "localhost" and the like.
 */
function tlsSettings(ca: string | undefined): ConnectionOptions {
  if (ca === undefined) return { rejectUnauthorized: true, minVersion: "TLSv1.2" };
  const pinned = pemBlocks(ca).map((pem) => new X509Certificate(pem).raw);
  if (pinned.length === 0) throw new TypeError("PEARL_RPC_CA holds no PEM certificate");
  return {
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    ca,
    // A pinned certificate that another one has signed is an anchor too.
    allowPartialTrustChain: true,
    checkServerIdentity(host: string, peer: PeerCertificate): Error | undefined {
      return pinned.some((der) => der.equals(peer.raw)) ? undefined : checkServerIdentity(host, peer);
    },
  };
}

/**
 * Reads the address.
 * @throws TypeError with a sentence where the URL is none, has another scheme, or the PEM holds no certificate.
 */
export function endpointOf(address: NodeAddress): Endpoint {
  if (!URL.canParse(address.url))
    throw new TypeError("PEARL_RPC_URL is no URL: write it like https://127.0.0.1:44107");
  const url = new URL(address.url);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`PEARL_RPC_URL must begin with http: or https:, not ${url.protocol}`);
  }
  const credentials = Buffer.from(`${address.user}:${address.password}`, "utf8").toString("base64");
  return {
    url,
    authorization: `Basic ${credentials}`,
    tls: url.protocol === "https:" ? tlsSettings(address.ca) : {},
    gzip: false,
    name: shownUrl(url),
  };
}
