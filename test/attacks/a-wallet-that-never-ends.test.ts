// A contract account is whatever its owner deploys. One whose isValidSignature loops costs its owner nothing, and the RPC
// all the gas that a call may use, with each look at each of its asks. The gas is capped, and calls that fail are few.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openEvmChain } from "../../src/adapters/evm-rpc/open-evm-chain.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import type { Bytes32 } from "../../src/primitives/brands.ts";
import type { AskRecord } from "../../src/swap/records.ts";
import { type Anvil, startAnvil } from "../../testkit/doubles/anvil/node.ts";
import { apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import { ask, evmAddress } from "../../testkit/builders/swap-ledger/ledger-facts.ts";

const DIGEST = `0x${"44".repeat(32)}` as Bytes32;
/** JUMPDEST PUSH1 0 JUMP: round and round until the gas is gone. */
const LOOPS = "0x5b600056";
/** Accepts where this much gas is left at its beginning, else fails: PUSH4 n GAS GT PUSH1 12 JUMPI, revert or accept. */
function acceptsFrom(gas: number): string {
  const magic = `1626ba7e${"00".repeat(28)}`;
  return `0x63${gas.toString(16).padStart(8, "0")}5a11600f5760006000fd5b7f${magic}60005260206000f3`;
}
let anvil: Anvil;
before(async () => {
  anvil = await startAnvil();
});
after(() => anvil.stop());

describe("S-31: a wallet whose isValidSignature loops", () => {
  test("gets a million gas and no more: it fails, while a wallet that needs 900,000 is heard", async () => {
    const chain = openEvmChain({
      urls: [anvil.url],
      chainId: 31_337,
      escrow: evmAddress("escrow"),
      confirmations: "finalized",
      clock: systemClock,
    });
    const judged = async (name: string, code: string) => {
      const address = evmAddress(name);
      await anvil.rpc("anvil_setCode", [address, code]);
      return chain.accounts.judgeSignature(address, DIGEST, "0x01");
    };
    assert.equal(await judged("loops", LOOPS), "failed");
    assert.equal(await judged("a passkey and more", acceptsFrom(900_000)), "valid");
    assert.equal(await judged("greedy", acceptsFrom(1_000_000)), "failed");
    chain.close();
  });

  test("is called three times in a round however many asks it has, and once for any number of takes", async () => {
    const made = await apiScene();
    const seller = evmAddress("loops");
    made.outside.contracts.set(seller, true);
    const asks = Array.from({ length: 50 }, (_, i): AskRecord => {
      const base = ask(`loop ${i}`);
      return { ...base, terms: { ...base.terms, seller }, signature: "0x01" };
    });
    await made.ledger.write({ asks });
    made.outside.contracts.set(seller, "failed");
    await made.parts.rechecks.round();
    assert.equal(made.outside.called.length, 3);
    made.outside.called.length = 0;
    for (let i = 0; i < 20; i += 1) {
      assert.equal((await made.parts.signatures.judgeStored(seller, DIGEST, "0x01")).kind, "invalid");
    }
    assert.equal(made.outside.called.length, 1);
  });

  test("bounds the calls of a round, whoever the contracts are", async () => {
    const made = await apiScene();
    const asks = Array.from({ length: 900 }, (_, i): AskRecord => {
      const base = ask(`many ${i}`);
      const seller = evmAddress(`wallet ${i}`);
      made.outside.contracts.set(seller, true);
      return { ...base, terms: { ...base.terms, seller }, signature: "0x01" };
    });
    await made.ledger.write({ asks });
    await made.parts.rechecks.round();
    assert.equal(made.outside.called.length, 500);
    assert.ok(made.outside.codeRead.length <= 18, "in batches of 50");
  });
});

describe("S-31: a take of an ask that a key has signed", () => {
  test("asks no RPC, and one of a contract's asks it alone", async () => {
    const made = await apiScene();
    const seller = evmAddress("contract");
    made.outside.contracts.set(seller, true);
    await made.parts.signatures.readKinds([seller]);
    made.outside.codeRead.length = 0;
    await made.parts.signatures.judgeStored(seller, DIGEST, "0x01");
    assert.deepEqual([made.outside.codeRead.length, made.outside.called], [0, [seller]]);
    const key = evmAddress("key");
    await made.parts.signatures.readKinds([key]);
    made.outside.codeRead.length = 0;
    for (let i = 0; i < 10; i += 1) await made.parts.signatures.judgeStored(key, DIGEST, "0x01");
    assert.deepEqual([made.outside.codeRead.length, made.outside.called.length], [0, 1]);
  });
});
