// The numbers that docs/contract.md gives for the states of an order are those of the contract: a wallet that asks an RPC of
// its own has nothing else to read them by.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readDocument } from "./documents.ts";

test("S-20: the states of an order have the contract's numbers", () => {
  const [, members] = /enum State \{([^}]*)\}/.exec(readFileSync("contracts/EscrowTypes.sol", "utf8")) ?? [];
  const [, listed] =
    /the state as a number \(([^,]+(?:, [0-9] [A-Za-z]+)+)/.exec(readDocument("docs/contract.md").text) ?? [];
  assert.deepEqual(
    (listed ?? "").toLowerCase().split(", "),
    (members ?? "")
      .toLowerCase()
      .split(",")
      .map((name, number) => `${number} ${name.trim()}`),
  );
});
