// Balances are looked up for rounds and for requests (S-34), and what requests come to for want of room is theirs alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { handClock } from "../../../testkit/doubles/clock.ts";
import { logOf } from "../../../testkit/doubles/log.ts";
import { BalanceLookups } from "./balance-lookups.ts";

const BALANCE = 7n;

test("S-34: a round has the balance of an address whose request waited in vain", async () => {
  let ms = 0;
  const slow = Promise.withResolvers<bigint>();
  const source = {
    balance: (address: string) => (address === "prl1seller" ? Promise.resolve(BALANCE) : slow.promise),
  };
  const lookups = new BalanceLookups(
    source,
    { lockOutput: () => null },
    handClock(() => ms),
    logOf(() => undefined),
  );
  const strangers = [1, 2, 3, 4].map((n) => lookups.look(`prl1stranger${n}`, "request"));
  const request = lookups.look("prl1seller", "request");
  const round = lookups.look("prl1seller", "round");
  ms = 5000;
  slow.resolve(0n);
  assert.deepEqual(await Promise.all(strangers), [0n, 0n, 0n, 0n]);
  assert.deepEqual([await request, await round], [null, BALANCE]);
});
