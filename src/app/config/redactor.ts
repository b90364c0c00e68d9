// Takes secrets out of every text that leaves the process: log lines, error sentences, health. Adapters show little of
// their URLs already; this catches what others repeat: a resolver that names the host, an RPC that quotes our path back.

import { NETWORKS } from "../../chain/networks.ts";
import { decodedOrRaw } from "../../primitives/percent.ts";
import { flagOf, SETTING_LIST, type SettingName } from "./declaration.ts";

/** Puts `…` in place of everything that is secret in a text. */
export type Redact = (text: string) => string;

/** Parts of fewer characters are no keys: `v1`, `rpc`, a port. */
const SHORTEST_PART = 6;
const SHORTEST_SECRET = 3;
/**
 * Words of this program's own sentences, fields and paths, which also stand in the names of hosts and in paths. Nobody has
 * one of them for a key, and without it a sentence would no longer say which file or which network it is about.
 */
const OWN_WORDS: ReadonlySet<string> = new Set([...Object.keys(NETWORKS), "strand", "pearld", "internal"]);

/** Settings that make a login together. */
const LOGINS: readonly (readonly [user: SettingName, password: SettingName])[] = [
  ["PEARL_RPC_USER", "PEARL_RPC_PASSWORD"],
  ["PEARL_WITNESS_USER", "PEARL_WITNESS_PASSWORD"],
];

/**
 * The redactor of what is configured, by flags or environment: secrets as a whole, and of URLs everything that may be a
 * key: user, password, host names and their labels, path and its parts, query and its values. Addresses that are no
 * names stay.
 */
export function redactorOf(
  flags: ReadonlyMap<string, string>,
  environment: Readonly<Record<string, string | undefined>>,
): Redact {
  const parts = new Set<string>();
  const textsOf = (name: string): readonly string[] => [
    flags.get(flagOf(name)) ?? "",
    environment[name] ?? "",
  ];
  for (const [user, password] of LOGINS) {
    // As the node is told them, and may repeat them.
    for (const one of textsOf(user))
      for (const other of textsOf(password))
        if (one !== "" && other !== "") parts.add(basicLogin(one, other));
  }
  for (const { name, value, secret } of SETTING_LIST) {
    for (const text of textsOf(name)) {
      if (secret && !value.includes("url") && text.length >= SHORTEST_SECRET) parts.add(text);
      if (value.includes("url")) for (const one of text.split(",")) addUrl(one.trim(), parts);
    }
  }
  return redactorOfParts(parts);
}

function basicLogin(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString("base64");
}

/** The redactor of one URL that stands in no setting. */
export function redactorOfUrl(url: string): Redact {
  const parts = new Set<string>();
  addUrl(url, parts);
  return redactorOfParts(parts);
}

function redactorOfParts(parts: ReadonlySet<string>): Redact {
  // The longest first: a part of another one must not leave the rest of it behind.
  const ordered = [...parts].toSorted((one, other) => other.length - one.length);
  return (text) => ordered.reduce((rest, part) => rest.replaceAll(part, "…"), text);
}

function addUrl(text: string, parts: Set<string>): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^postgres(ql)?:$/.test(url.protocol)) return addPostgres(url, text, parts);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    // sqlite:<file> is a path that people need to read; anything else that is no URL may be a key by mistake.
    if (!text.startsWith("sqlite:") && text !== "node" && text.length >= SHORTEST_PART) parts.add(text);
    return;
  }
  const { username, password, hostname, pathname, search, searchParams, hash } = url;
  for (const one of [username, password]) for (const form of formsOf(one)) keep(form, parts, SHORTEST_SECRET);
  if (username !== "" || password !== "") {
    parts.add(basicLogin(decodedOrRaw(username), decodedOrRaw(password)));
  }
  if (!/^(\[.*\]|[\d.]+|localhost)$/i.test(hostname)) {
    keep(hostname, parts, SHORTEST_SECRET);
    for (const label of hostname.split(".")) keepPart(label, parts);
  }
  for (const one of [
    pathname.replace(/^\//, ""),
    ...pathname.split("/"),
    search.replace(/^\?/, ""),
    hash.slice(1),
  ]) {
    for (const form of formsOf(one)) keepPart(form, parts);
  }
  for (const [name, value] of searchParams) {
    keepPart(name, parts);
    for (const form of formsOf(value)) keepPart(form, parts);
  }
}

/** Of a database the password is secret; where it is and what it is called people need to read. */
function addPostgres({ password, searchParams }: URL, text: string, parts: Set<string>): void {
  parts.add(text);
  for (const secret of [
    password,
    searchParams.get("password") ?? "",
    searchParams.get("sslpassword") ?? "",
  ]) {
    for (const form of formsOf(secret)) keep(form, parts, SHORTEST_SECRET);
  }
}

/** As written, and without percent signs. */
function formsOf(text: string): readonly string[] {
  return [text, decodedOrRaw(text), encodeURIComponent(decodedOrRaw(text))];
}

/** A part of a host's name, a path or a query. */
function keepPart(text: string, parts: Set<string>): void {
  if (!OWN_WORDS.has(text.toLowerCase())) keep(text, parts, SHORTEST_PART);
}

function keep(text: string, parts: Set<string>, shortest: number): void {
  if (text.length >= shortest) parts.add(text);
}
