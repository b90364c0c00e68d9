// Who counts as one client: an IPv4 address, or an IPv6 /64, because whoever has one IPv6 address usually has the
// whole /64 and could otherwise be 2^64 clients (H-10, H-11).

import { elementAt } from "../primitives/elements.ts";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** The key of whoever has no readable address: all of them together are one client. */
const UNKNOWN = "unknown";
const GROUPS = 8;
/** Groups of 16 bits in a /64. */
const CLIENT_GROUPS = 4;

/** An address as some proxies write it into `X-Forwarded-For`: IPv4 with a port, or IPv6 in brackets, with or without. */
const WITH_PORT = /^(?:([0-9.]{7,15}):[0-9]{1,5}|\[([^\]]{2,64})\](?::[0-9]{1,5})?)$/;

/**
 * The key under which everything of one client is counted (H-10): the address itself for IPv4, also where it is
 * written as IPv4-mapped IPv6 (`::ffff:1.2.3.4`); `2001:db8:1:2::/64` for IPv6, whatever its spelling or zone; one
 * common key for text that is no address. A port behind it is left out, or all clients of a proxy that writes ports
 * would share the limit of one. At most 24 characters, so that a table of keys has a bounded size.
 */
export function clientKey(address: string | undefined): string {
  const text = address ?? "";
  const [, ipv4, ipv6] = WITH_PORT.exec(text) ?? [];
  const [bare = ""] = (ipv4 ?? ipv6 ?? text).split("%", 1);
  const family = isIP(bare);
  if (family === 4) return bare;
  if (family !== 6) return UNKNOWN;
  const groups = groupsOf(bare);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return ipv4Of(elementAt(groups, 6), elementAt(groups, 7));
  const network = groups.slice(0, CLIENT_GROUPS).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** Tells whether an address is a proxy's that speaks for others; so many hops from here, 0 for the other end itself. */
export type ProxyTest = (address: string, hop: number) => boolean;

/**
 * The nearest address that is no trusted proxy's, else the one farthest from here: what the framework's `ip` says, for
 * requests too that it hands over without its settings, as those whose path it cannot read.
 */
export function clientAddress({ headers, socket }: IncomingMessage, isProxy: ProxyTest): string {
  const said = headers["x-forwarded-for"];
  const named = typeof said === "string" ? said.split(",").map((one) => one.trim()) : [];
  const addresses = [socket.remoteAddress ?? "", ...named.filter((one) => one !== "").toReversed()];
  const at = addresses.findIndex((address, hop) => !isProxy(address, hop));
  return elementAt(addresses, at < 0 ? addresses.length - 1 : at);
}

/** The eight groups of a well-formed IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [head = "", tail] = address.split("::", 2);
  const before = partsOf(head);
  const after = partsOf(tail ?? "");
  const gap = Array.from({ length: GROUPS - before.length - after.length }, () => 0);
  return [...before, ...gap, ...after];
}

/** The groups of one side of `::`; a dotted end is two of them. */
function partsOf(text: string): readonly number[] {
  if (text === "") return [];
  return text.split(":").flatMap((part) => {
    if (!part.includes(".")) return [Number.parseInt(part, 16)];
    const bytes = part.split(".").map(Number);
    const pair = (at: number): number => elementAt(bytes, at) * 256 + elementAt(bytes, at + 1);
    return [pair(0), pair(2)];
  });
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
