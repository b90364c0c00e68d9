// Settings of the PEARL node: URL, credentials and whose certificate to believe.

import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { SettingName } from "./declaration.ts";
import type { SettingReader } from "./setting-reader.ts";

/** How a certificate begins and ends in a PEM file. */
const PEM_BEGIN = "-----BEGIN CERTIFICATE-----";
const PEM_END = "-----END CERTIFICATE-----";

/** Whom to believe on a TLS connection. */
type TlsTrust =
  | { readonly kind: "system" }
  /** PEM text: a certificate authority, or the node's own certificate, which pins it. */
  | { readonly kind: "ca"; readonly pem: string };

/** How to reach one node. */
export interface NodeEndpoint {
  /** http: or https:, without credentials. */
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
  readonly tls: TlsTrust;
}

/** How to reach the node that is followed first, and the others (S-09). */
export interface NodeTarget extends NodeEndpoint {
  readonly pollMs: number;
  /** In the order in which they take its place; none is given twice. */
  readonly witnesses: readonly NodeEndpoint[];
}

/** A node's address as its clients take it. */
export function addressOf({ url, user, password, tls }: NodeEndpoint): {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly ca?: string;
} {
  const ca = tls.kind === "ca" ? { ca: tls.pem } : {};
  return { url, user: user ?? "", password: password ?? "", ...ca };
}

/** The node's address and credentials, or null with problems. */
export function readNode(
  reader: SettingReader,
  readFile: (path: string) => string | null,
): NodeTarget | null {
  const login = readLogin(reader, "PEARL_RPC_USER", "PEARL_RPC_PASSWORD");
  const pollMs = reader.integer("PEARL_POLL_MS");
  const tls = readTrust(reader, readFile);
  const url = readUrl(reader, login.password !== null);
  if (url === null || tls === null) return null;
  const witnesses = readWitnesses(reader, url, login, tls);
  if (tls.kind !== "system" && ![url, ...witnesses.map((one) => one.url)].some(isHttps)) {
    reader.problem(
      "PEARL_RPC_CA",
      "is set although every node is asked over plain http: use https: or leave the CA out",
    );
  }
  return { url, ...login, tls: trustOf(url, tls), pollMs, witnesses };
}

function isHttps(url: string): boolean {
  return url.startsWith("https:");
}

/** Nobody shows a certificate over plain http. */
function trustOf(url: string, tls: TlsTrust): TlsTrust {
  return isHttps(url) ? tls : { kind: "system" };
}

type Login = Pick<NodeEndpoint, "user" | "password">;

function readLogin(reader: SettingReader, userName: SettingName, passwordName: SettingName): Login {
  const user = reader.text(userName);
  const password = reader.text(passwordName);
  if (user === null && password !== null) {
    reader.problem(userName, `is missing although ${passwordName} is set: give both or neither`);
  }
  if (user !== null && password === null) {
    reader.problem(passwordName, `is missing although ${userName} is set: give both or neither`);
  }
  return { user, password };
}

function readUrl(reader: SettingReader, hasPassword: boolean): string | null {
  const name = "PEARL_RPC_URL";
  const text = reader.text(name);
  if (text === null) {
    reader.problem(name, "is missing: give the address of pearld's RPC, like https://127.0.0.1:44107");
    return null;
  }
  const url = addressIn(text, hasPassword);
  if (url instanceof URL) return url.href;
  reader.problem(
    name,
    {
      form: "is no http: or https: address: write it like https://127.0.0.1:44107",
      login: "holds credentials: put them into PEARL_RPC_USER and PEARL_RPC_PASSWORD",
      clear: "would send the password in clear over plain http: use https: outside the local network",
    }[url],
  );
  return null;
}

/** The further nodes (S-09). The texts are not repeated in problems: they may hold passwords. */
function readWitnesses(
  reader: SettingReader,
  followed: string,
  login: Login,
  tls: TlsTrust,
): readonly NodeEndpoint[] {
  const name = "PEARL_WITNESS_URLS";
  const own = readLogin(reader, "PEARL_WITNESS_USER", "PEARL_WITNESS_PASSWORD");
  const text = reader.text(name);
  if (text === null) return [];
  const { user, password } = own.user === null ? login : own;
  const witnesses: NodeEndpoint[] = [];
  for (const [i, part] of text.split(",").entries()) {
    const url = addressIn(part.trim(), password !== null);
    const place = `in place ${i + 1}`;
    if (!(url instanceof URL)) {
      reader.problem(
        name,
        {
          form: `has no http: or https: address ${place}: write them like https://one.example:44107,https://two.example:44107`,
          login: `holds credentials ${place}: put them into PEARL_WITNESS_USER and PEARL_WITNESS_PASSWORD`,
          clear: `would send the password in clear over plain http ${place}: use https: outside the local network`,
        }[url],
      );
    } else if (url.href === followed || witnesses.some((one) => one.url === url.href)) {
      reader.problem(
        name,
        `names a node ${place} that is configured already: a node that agrees with itself is no second opinion`,
      );
    } else {
      witnesses.push({ url: url.href, user, password, tls: trustOf(url.href, tls) });
    }
  }
  return witnesses;
}

/** The address in a text, or what is wrong with it. */
function addressIn(text: string, hasPassword: boolean): URL | "form" | "login" | "clear" {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return "form";
  if (url.username !== "" || url.password !== "") return "login";
  return url.protocol === "http:" && hasPassword && !isLocalHost(url.hostname) ? "clear" : url;
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
  if (!pem.includes(PEM_BEGIN)) {
    reader.problem(
      name,
      `is ${JSON.stringify(text)}, which holds no PEM certificate: give pearld's rpc.cert or a CA`,
    );
    return null;
  }
  const damaged = damagedCertificate(pem);
  if (damaged !== null) {
    reader.problem(
      name,
      `is ${JSON.stringify(text)}, whose certificate ${damaged} is damaged: copy the file from the node again, whole`,
    );
    return null;
  }
  return { kind: "ca", pem };
}

/** Place of the first certificate in the file that is none, from 1; null where all are whole. */
function damagedCertificate(pem: string): number | null {
  const certificates = pem.split(PEM_BEGIN).slice(1);
  const place = certificates.findIndex((rest) => !isCertificate(`${PEM_BEGIN}${rest}`));
  return place < 0 ? null : place + 1;
}

/** Whether the text begins with a whole certificate. */
function isCertificate(pem: string): boolean {
  if (!pem.includes(PEM_END)) return false;
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
