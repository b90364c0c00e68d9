// The table of clients is bounded, and a newcomer starts with a count of its own, whoever came before (H-10).

import assert from "node:assert/strict";
import { test } from "node:test";
import { RateLimiter } from "./rate-limit.ts";
import { handClock } from "../../testkit/doubles/clock.ts";

function limiter(max: number): {
  take: (address: string) => boolean;
  limiter: RateLimiter;
  now: { ms: number };
} {
  const now = { ms: 0 };
  const clock = handClock(
    () => 0,
    () => now.ms,
  );
  const one = new RateLimiter({ max, windowS: 60 }, clock);
  return { take: (address) => one.take(address).allowed, limiter: one, now };
}

const stranger = (at: number): string =>
  `2001:db8:${(at >> 16).toString(16)}:${(at & 0xffff).toString(16)}::1`;

test("H-10: after 200,000 addresses a newcomer is answered, and a client over its limit is still refused", () => {
  const { take, limiter: one } = limiter(2);
  const loud = "203.0.113.9";
  for (let at = 0; at < 200_000; at += 1) {
    take(stranger(at));
    if (at % 1000 === 0) take(loud);
  }
  assert.ok(one.size <= 50_000, `${one.size} clients are remembered`);
  assert.equal(take("198.51.100.1"), true);
  assert.equal(take(stranger(300_000)), true);
  assert.equal(take(loud), false);
});

test("H-10: all addresses of an IPv6 /64 are one client", () => {
  const { take, limiter: one } = limiter(3);
  const allowed = Array.from({ length: 1000 }, (_, at) => take(`2001:db8:1:2::${at.toString(16)}`));
  assert.equal(allowed.filter(Boolean).length, 3);
  assert.equal(one.size, 1);
  assert.equal(take("2001:db8:1:3::1"), true);
});

test("H-10: every client has a window of its own", () => {
  const { take, now } = limiter(1);
  assert.equal(take("10.0.0.1"), true);
  now.ms = 59_000;
  assert.equal(take("10.0.0.1"), false);
  assert.equal(take("10.0.0.2"), true);
  now.ms = 60_000;
  assert.equal(take("10.0.0.1"), true);
  assert.equal(take("10.0.0.2"), false);
});

test("H-10: a window that begins between two milliseconds is not longer than it says", () => {
  for (let at = 0; at < 1000; at += 1) {
    const clock = handClock(
      () => 0,
      () => 12_345.678 + at * 0.137,
    );
    const { headers } = new RateLimiter({ max: 1, windowS: 60 }, clock).take("192.0.2.1");
    assert.equal(headers["ratelimit-reset"], "60");
  }
});
