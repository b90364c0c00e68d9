// Settings of the service itself: where it keeps its index, where it listens, whom it believes, and how much it logs.

import { isIP } from "node:net";
import { nearestName } from "./misspelled.ts";
import type { SettingReader } from "./setting-reader.ts";

/** Levels that can be configured. */
const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

/** A configured level. */
export type LogLevelSetting = (typeof LOG_LEVELS)[number];

/** Proxies in a row that a number in TRUST_PROXY may stand for. */
const MAX_HOPS = 10;

/** Which storage engine, and where. */
export type DatabaseTarget =
  | {
      readonly engine: "sqlite";
      /** Path of the database file, relative to the working directory or absolute. */
      readonly file: string;
    }
  | {
      readonly engine: "postgresql";
      /** With everything that is secret in it. */
      readonly url: string;
      /** Where writes go and notices come from: `url`, unless that is a streaming replica. */
      readonly primaryUrl: string;
    };

/** The database of DATABASE_URL, or null with a problem. */
export function readDatabase(reader: SettingReader, networkName: string): DatabaseTarget | null {
  const name = "DATABASE_URL";
  const text = reader.text(name);
  if (text === null) return { engine: "sqlite", file: `./data/${networkName}.db` };
  if (/^postgres(ql)?:/i.test(text)) return readPostgres(reader, text);
  const match = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(text);
  const file = match?.[1];
  if (file === undefined || file === ":memory:" || file.startsWith("//")) {
    reader.problem(
      name,
      "is no database that strand knows: write sqlite: and a file name, like sqlite:./data/index.db, " +
        "or postgres://user:password@host:5432/database",
    );
    return null;
  }
  return { engine: "sqlite", file };
}

function readPostgres(reader: SettingReader, text: string): DatabaseTarget | null {
  const primary = reader.text("DATABASE_PRIMARY_URL") ?? text;
  if (isWholeUrl(text) && isWholeUrl(primary))
    return { engine: "postgresql", url: text, primaryUrl: primary };
  reader.problem(
    isWholeUrl(text) ? "DATABASE_PRIMARY_URL" : "DATABASE_URL",
    "is no whole URL of PostgreSQL: write postgres://user:password@host:5432/database, with %40 for an @ in the password",
  );
  return null;
}

function isWholeUrl(text: string): boolean {
  return /^postgres(ql)?:/i.test(text) && URL.canParse(text) && new URL(text).pathname.length > 1;
}

/** Host and ports. */
export function readListen(reader: SettingReader): {
  host: string;
  port: number;
  metricsPort: number | null;
} {
  const host = reader.textOrDefault("HOST");
  if (/\s|\//.test(host))
    reader.problem("HOST", `is ${JSON.stringify(host)}: give an address like 127.0.0.1 or 0.0.0.0`);
  const port = reader.integer("PORT");
  const metricsPort = reader.optionalInteger("METRICS_PORT");
  if (metricsPort !== null && metricsPort !== 0 && metricsPort === port) {
    reader.problem("METRICS_PORT", `is ${port}, as PORT is: give metrics a port of their own`);
  }
  return { host, port, metricsPort };
}

function isLogLevel(text: string): text is LogLevelSetting {
  return LOG_LEVELS.some((level) => level === text);
}

/** The log level; `info` where absent or wrong, the latter with a problem. */
export function readLogLevel(reader: SettingReader): LogLevelSetting {
  const text = reader.textOrDefault("LOG_LEVEL");
  if (isLogLevel(text)) return text;
  const near = nearestName(text, LOG_LEVELS);
  const hint = near === null ? "" : ` (did you mean ${near}?)`;
  reader.problem("LOG_LEVEL", `is ${JSON.stringify(text)}: give one of ${LOG_LEVELS.join(", ")}${hint}`);
  return "info";
}

/** Whose X-Forwarded-For is believed (H-10): a list of addresses and networks, a number of hops, or nobody's. */
export function readProxies(reader: SettingReader): false | number | readonly string[] {
  const name = "TRUST_PROXY";
  const text = reader.textOrDefault(name);
  if (text === "false") return false;
  const forms = "the addresses or networks of your proxies, like 10.0.0.0/8, or how many there are, like 1";
  if (/^[0-9]{1,3}$/.test(text)) {
    if (Number(text) >= 1 && Number(text) <= MAX_HOPS) return Number(text);
    reader.problem(name, `is ${text}: give a number of proxies from 1 to ${MAX_HOPS}, or ${forms}`);
    return false;
  }
  const proxies = text.split(",").map((part) => part.trim());
  const everybody = proxies.find((proxy) => proxy === "true" || isEverybody(proxy));
  if (everybody !== undefined) {
    // Then whatever the client itself writes into the header would be its address.
    reader.problem(
      name,
      `has ${JSON.stringify(everybody)}, which lets every client choose its own address: give ${forms}`,
    );
    return false;
  }
  const wrong = proxies.filter((proxy) => !isAddressRange(proxy));
  if (wrong.length > 0) reader.problem(name, `has ${JSON.stringify(wrong[0])}: give false, ${forms}`);
  return proxies;
}

/** All addresses of a family, those of IPv4 also as IPv6 writes them. */
function isEverybody(text: string): boolean {
  const prefix = /^.+\/([0-9]{1,3})$/.exec(text)?.[1];
  if (prefix === undefined || !isAddressRange(text)) return false;
  return Number(prefix) === 0 || (/^::ffff:/i.test(text) && Number(prefix) <= 96);
}

function isAddressRange(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}
