// The addresses that belong to one client have one key, and behind trusted proxies it is theirs to name it (H-10).

import assert from "node:assert/strict";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, test } from "node:test";
import { clientAddress, clientKey, type ProxyTest } from "./client-key.ts";

describe("H-10: a client is an IPv4 address or an IPv6 /64", () => {
  const CASES: readonly (readonly [address: string | undefined, key: string])[] = [
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:cb00:7107", "203.0.113.7"],
    ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:0001:0002::", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:ffff::1.2.3.4", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["2001:db8::", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff::/64"],
    [undefined, "unknown"],
    ["", "unknown"],
    ["203.0.113.7:8080", "203.0.113.7"],
    ["[2001:db8:1:2::7]:8080", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::7]", "2001:db8:1:2::/64"],
    ["[fe80::1%eth0]:1", "fe80:0:0:0::/64"],
    ["[::ffff:203.0.113.7]:65535", "203.0.113.7"],
    ["203.0.113.7:", "unknown"],
    ["203.0.113.7:x", "unknown"],
    ["203.0.113.700:80", "unknown"],
    ["[203.0.113.7", "unknown"],
    ["[]:80", "unknown"],
    ["x".repeat(10_000), "unknown"],
  ];
  for (const [address, key] of CASES) {
    test(`${String(address).slice(0, 40)} is ${key}`, () => assert.equal(clientKey(address), key));
  }

  test("all addresses of a /64 have one key, those of the next another", () => {
    const keys = new Set<string>();
    for (let at = 0; at < 1000; at += 1) keys.add(clientKey(`2001:db8:1:2::${at.toString(16)}`));
    assert.equal(keys.size, 1);
    keys.add(clientKey("2001:db8:1:3::"));
    assert.equal(keys.size, 2);
  });
});

const INNER: ProxyTest = (address) => address.startsWith("10.");
const ONE_HOP: ProxyTest = (_address, hop) => hop < 1;

describe("H-10: the client is the nearest address that is no trusted proxy's", () => {
  const CASES: readonly (readonly [
    isProxy: ProxyTest,
    from: string,
    said: string | undefined,
    is: string,
  ])[] = [
    [INNER, "203.0.113.7", undefined, "203.0.113.7"],
    [INNER, "203.0.113.7", "198.51.100.1", "203.0.113.7"],
    [INNER, "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    [INNER, "10.0.0.1", "192.0.2.1, 198.51.100.1", "198.51.100.1"],
    [INNER, "10.0.0.1", "192.0.2.1,198.51.100.1 , 10.0.0.2", "198.51.100.1"],
    // What stands between commas and is nothing names nobody: else all clients of such a proxy would be one.
    [INNER, "10.0.0.1", "198.51.100.1,", "198.51.100.1"],
    [INNER, "10.0.0.1", "198.51.100.1, , 10.0.0.2", "198.51.100.1"],
    [INNER, "10.0.0.1", undefined, "10.0.0.1"],
    [INNER, "10.0.0.1", "", "10.0.0.1"],
    [INNER, "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    [ONE_HOP, "203.0.113.7", "192.0.2.1, 198.51.100.1", "198.51.100.1"],
    [ONE_HOP, "203.0.113.7", undefined, "203.0.113.7"],
  ];
  for (const [isProxy, from, said, is] of CASES) {
    test(`${from} that says ${said ?? "nothing"} speaks for ${is}`, () => {
      const socket = new Socket();
      Object.defineProperty(socket, "remoteAddress", { value: from });
      const request = new IncomingMessage(socket);
      if (said !== undefined) request.headers["x-forwarded-for"] = said;
      assert.equal(clientAddress(request, isProxy), is);
    });
  }
});
