// How is the PEARL node reached? URL, credentials and whose certificate to believe.

import { isIP } from "node:net";
import type { SettingReader } from "./setting-reader.ts";

/** Whom to believe on a TLS connection. */
export type TlsTrust =
  | { readonly kind: "system" }
  /** PEM text: a certificate authority, or the node's own certificate, which pins it. */
  | { readonly kind: "ca"; readonly pem: string };

/** How to reach the node. */
export interface NodeTarget {
  /** http: or https:, without credentials. */
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
  readonly tls: TlsTrust;
  readonly pollMs: number;
}

/** The node's address and credentials, or null with problems. */
export function readNode(
  reader: SettingReader,
  readFile: (path: string) => string | null,
): NodeTarget | null {
  const user = reader.text("PEARL_RPC_USER");
  const password = reader.text("PEARL_RPC_PASSWORD");
  if (user === null && password !== null) {
    reader.problem("PEARL_RPC_USER", "is missing although PEARL_RPC_PASSWORD is set: give both or neither");
  }
  if (user !== null && password === null) {
    reader.problem("PEARL_RPC_PASSWORD", "is missing although PEARL_RPC_USER is set: give both or neither");
  }
  const pollMs = reader.integer("PEARL_POLL_MS", 20, 60_000, 250);
  const tls = readTrust(reader, readFile);
  const url = readUrl(reader, password !== null);
  if (url === null || tls === null) return null;
  if (tls.kind !== "system" && !url.startsWith("https:")) {
    reader.problem(
      "PEARL_RPC_CA",
      "is set although PEARL_RPC_URL is plain http: use https: or leave the CA out",
    );
  }
  return { url, user, password, tls, pollMs };
}

function readUrl(reader: SettingReader, hasPassword: boolean): string | null {
  const name = "PEARL_RPC_URL";
  const text = reader.text(name);
  if (text === null) {
    reader.problem(name, "is missing: give the address of pearld's RPC, like https://127.0.0.1:44107");
    return null;
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  // The text itself is not repeated: it may hold a password, as the next check says.
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    reader.problem(name, "is no http: or https: address: write it like https://127.0.0.1:44107");
    return null;
  }
  if (url.username !== "" || url.password !== "") {
    reader.problem(name, "holds credentials: put them into PEARL_RPC_USER and PEARL_RPC_PASSWORD");
    return null;
  }
  if (url.protocol === "http:" && hasPassword && !isLocalHost(url.hostname)) {
    reader.problem(
      name,
      "would send the password in clear over plain http: use https: outside the local network",
    );
    return null;
  }
  return url.href;
}

/** Loopback, private and link-local addresses, and names without a dot or ending in .local or .internal. */
function isLocalHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIP(host) === 4) {
    return /^(127|10)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2[0-9]|3[01])\./.test(host);
  }
  if (isIP(host) === 6) return host === "::1" || /^f[cd]|^fe[89ab]/.test(host);
  return !host.includes(".") || /\.(local|internal|localhost)$/.test(host);
}

function readTrust(reader: SettingReader, readFile: (path: string) => string | null): TlsTrust | null {
  const name = "PEARL_RPC_CA";
  const text = reader.text(name);
  if (text === null) return { kind: "system" };
  const pem = readFile(text);
  if (pem === null) {
    reader.problem(name, `is ${JSON.stringify(text)}, which cannot be read: give the path of a PEM file`);
    return null;
  }
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) {
    reader.problem(
      name,
      `is ${JSON.stringify(text)}, which holds no PEM certificate: give pearld's rpc.cert or a CA`,
    );
    return null;
  }
  return { kind: "ca", pem };
}
