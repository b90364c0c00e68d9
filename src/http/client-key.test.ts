// The addresses that belong to one client have one key (H-10).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clientKey } from "./client-key.ts";

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
