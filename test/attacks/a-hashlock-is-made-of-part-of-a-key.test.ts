// A stranger takes an ask with the hash of a part of somebody's longer public value as hashlock, which costs nothing: 02 and
// the first 31 bytes of a seller's key, or 32 of the 65 bytes of his signature. The seller can still post in every form
// that S-14 and S-31 allow, and a real secret is refused beside any digits (S-66).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { addressOfKey } from "../../src/primitives/address.ts";
import type { Bytes32 } from "../../src/primitives/brands.ts";
import { elementAt } from "../../src/primitives/elements.ts";
import { scriptsOfKey } from "../../src/swap/keys.ts";
import { signSwapMessage, askMessage } from "../../src/wallet/swap-messages.ts";
import { guardedService, type GuardedService } from "../../testkit/builders/swap-ledger/guarded-service.ts";
import { ask, evmAddress, pointKey } from "../../testkit/builders/swap-ledger/ledger-facts.ts";

const KNOWN = ask("guarded").terms.sellerPearlKey;
const NEW = pointKey("nobody has seen this key");
const SCRIPTS = scriptsOfKey(NEW, swapCrypto);
/** The address whose program the new key is, and that of its tweak. */
const ADDRESSES = [0, 1].map((i) => addressOfKey(elementAt(SCRIPTS, i).slice(4), "rprl"));
const SIGNATURE = signSwapMessage(
  askMessage({ chainId: 1, verifyingContract: evmAddress("escrow") }, ask("signed").terms),
  new Uint8Array(32).fill(9),
);

/** The values of 32 bytes in these digits. */
function windowsOf(digits: string): readonly Bytes32[] {
  const windows: Bytes32[] = [];
  for (let at = 0; at + 64 <= digits.length; at += 2)
    windows.push(`0x${digits.slice(at, at + 64)}` as Bytes32);
  return windows;
}

async function holds({ swaps }: GuardedService, body: unknown): Promise<boolean> {
  return swaps.holdsSecret(Buffer.from(JSON.stringify(body), "latin1"));
}

/** The service after takes with hashlocks of all these. */
async function guarding(...values: readonly Bytes32[]): Promise<GuardedService> {
  const service = await guardedService();
  for (const value of values) await service.guard(value);
  return service;
}

describe("S-66: hashlocks made of a key's compressed form", () => {
  for (const parity of ["02", "03"]) {
    const compressed = (key: Bytes32): string => `${parity}${key.slice(2)}`;

    test(`a key that rows show may be sent with ${parity}, with 0x and without, in any letters`, async () => {
      const service = await guarding(...windowsOf(compressed(KNOWN)));
      for (const prefix of ["", "0x"]) {
        const written = `${prefix}${compressed(KNOWN)}`;
        assert.equal(await holds(service, { seller_pearl_pubkey: written }), false);
        assert.equal(await holds(service, { seller_pearl_pubkey: written.toUpperCase() }), false);
      }
    });

    test(`a new key may be sent with ${parity} beside either address that it fits`, async () => {
      const [part] = windowsOf(compressed(NEW));
      assert.ok(part);
      const service = await guarding(part);
      const body = { seller_pearl_pubkey: compressed(NEW) };
      for (const address of ADDRESSES) {
        assert.equal(await holds(service, { ...body, seller_pearl_address: address }), false);
      }
      assert.equal(await holds(service, body), true, "without an address nobody can tell it from a secret");
      const foreign = addressOfKey(KNOWN.slice(2), "rprl");
      assert.equal(await holds(service, { ...body, seller_pearl_address: foreign }), true);
    });
  }
});

describe("S-66: hashlocks made of all 34 parts of a signature that a row shows", () => {
  test("the signed ask may be posted again, in either form; parts of it alone are refused", async () => {
    const service = await guarding(...windowsOf(SIGNATURE.slice(2)));
    assert.equal(await holds(service, { seller_evm_signature: SIGNATURE }), true, "no row shows it yet");
    await service.scene.ledger.write({ asks: [{ ...ask("signed"), signature: SIGNATURE }] });
    assert.equal(await holds(service, { seller_evm_signature: SIGNATURE }), false);
    const zeroOrOne = `${SIGNATURE.slice(0, -2)}${SIGNATURE.endsWith("1b") ? "00" : "01"}`;
    assert.equal(await holds(service, { seller_evm_signature: zeroOrOne }), false);
    assert.equal(await holds(service, { note: SIGNATURE.slice(2, 66) }), true);
    assert.equal(await holds(service, { note: `${SIGNATURE}00` }), true, "nor is a longer run the signature");
  });
});

describe("S-66: a real secret", () => {
  test("is refused beside public runs, within a run of a key's or a signature's length, and after 02", async () => {
    const secret = `0x02${"5e".repeat(31)}` as Bytes32;
    const digits = secret.slice(2);
    const service = await guarding(secret, ...windowsOf(`02${KNOWN.slice(2)}`));
    const key = `02${KNOWN.slice(2)}`;
    const address = elementAt(ADDRESSES, 0);
    for (const text of [
      digits,
      `${digits}00`,
      `02${digits}`,
      `${key}${digits}`,
      `${digits}${"00".repeat(33)}`,
    ]) {
      assert.equal(await holds(service, { key, address, text }), true, text);
    }
    assert.equal(await holds(service, { key, address }), false);
  });

  test("costs a body full of keys that are none no more than eight looks", async () => {
    const body = Array.from({ length: 900 }, (_, i) => `02${pointKey(`made up ${i}`).slice(2)}`);
    const last = elementAt(body, 899);
    const service = await guarding(...windowsOf(last).slice(0, 1));
    const address = addressOfKey(last.slice(2), "rprl");
    assert.equal(await holds(service, { body, address }), true, "beyond the first runs nothing is looked at");
    assert.equal(await holds(service, { body: [last], address }), false);
  });
});
