// A POST is no proof of anything: any hex is a signature, and whether a key or a contract judges it takes a look at the
// account (S-31). Strangers who post as many as they like must not keep the follower from the RPC (S-05), nor the rounds
// of re-checks; what they get in the way of is other requests of their kind, and these are told at once (S-62).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openEvmChain } from "../../src/adapters/evm-rpc/open-evm-chain.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { addressOfKey } from "../../src/primitives/address.ts";
import type { AskRecord } from "../../src/swap/records.ts";
import { createAsk } from "../../src/swaps/usecases/create-ask.ts";
import { askMessage, evmAddressOf, signSwapMessage } from "../../src/wallet/swap-messages.ts";
import { settle } from "../../testkit/doubles/clock.ts";
import { until } from "../../testkit/until.ts";
import { type ApiScene, apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import { ask, bytes32, evmAddress } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { ESCROW, scriptedChain } from "../evm/scripted-chain.ts";
import { ScriptedRpc } from "../evm/scripted-rpc.ts";

const DIGEST = bytes32("digest");
const STRANGER = "0x11";

/** A gate for the answers about accounts. */
function shut({ outside }: ApiScene): () => void {
  const gate = Promise.withResolvers<void>();
  outside.accountsGate = gate.promise;
  return gate.resolve;
}

function posts({ parts }: ApiScene, count: number) {
  return Array.from({ length: count }, (_, i) =>
    parts.signatures.judge(evmAddress(`stranger ${i}`), DIGEST, STRANGER),
  );
}

describe("S-31: 500 signatures of one byte, for an account each", () => {
  test("4 questions are under way and 64 wait; whoever comes later is told at once, unasked", async () => {
    const made = await apiScene();
    const open = shut(made);
    let told = 0;
    const verdicts = posts(made, 500).map(async (one) => {
      const { kind } = await one;
      if (kind === "unavailable") told += 1;
      return kind;
    });
    await settle();
    assert.deepEqual([made.outside.codeRead.length, told], [4, 500 - 68]);
    open();
    const invalid = (await Promise.all(verdicts)).filter((kind) => kind === "invalid");
    assert.deepEqual([invalid.length, made.outside.codeRead.length], [68, 68]);
    // And nothing is left of it.
    assert.equal((await made.parts.signatures.judge(evmAddress("later"), DIGEST, STRANGER)).kind, "invalid");
  });

  test("a round of re-checks goes on meanwhile", async () => {
    const made = await apiScene();
    const open = shut(made);
    const verdicts = posts(made, 500);
    await settle();
    const round = made.parts.signatures.readKinds([evmAddress("seller")]);
    await settle();
    assert.deepEqual(made.outside.codeRead.at(-1), [evmAddress("seller")]);
    open();
    assert.equal((await round)?.get(evmAddress("seller")), "key");
    await Promise.all(verdicts);
  });

  test("where the RPC hangs, who waits behind others for 5 s is told, rather than asked for in turn", async () => {
    const made = await apiScene();
    const open = shut(made);
    const verdicts = posts(made, 68);
    await settle();
    made.outside.now += 5;
    open();
    const kinds = (await Promise.all(verdicts)).map(({ kind }) => kind);
    assert.equal(kinds.filter((kind) => kind === "unavailable").length, 64);
    assert.equal(made.outside.codeRead.length, 4);
    assert.equal((await made.parts.signatures.judge(evmAddress("later"), DIGEST, STRANGER)).kind, "invalid");
  });
});

describe("S-31: the same question", () => {
  test("is asked once while it is under way: an account's code, and a contract's word on a signature", async () => {
    const made = await apiScene();
    const wallet = evmAddress("wallet");
    made.outside.contracts.set(wallet, true);
    const open = shut(made);
    const verdicts = Array.from({ length: 500 }, () => made.parts.signatures.judge(wallet, DIGEST, STRANGER));
    await settle();
    open();
    for (const { kind } of await Promise.all(verdicts)) assert.equal(kind, "valid");
    assert.deepEqual([made.outside.codeRead.length, made.outside.called.length], [1, 1]);
  });

  test("a known ask that is posted again and again asks nobody", async () => {
    const made = await apiScene();
    const { record, body } = signedAsk(made);
    await made.ledger.write({ asks: [record] });
    made.outside.accountsDown = true;
    for (let i = 0; i < 10; i += 1) assert.equal((await createAsk(made.parts, body)).kind, "answer");
    assert.equal(made.outside.codeRead.length, 0);
    // A new one is judged by what stands at the address now.
    const other = await createAsk(made.parts, { ...body, nonce: "1" });
    assert.equal(other.kind === "refused" ? other.code : other.kind, "EVM_RPC_UNAVAILABLE");
  });
});

test("S-05: an RPC that holds every question about accounts is still followed", async () => {
  const rpc = await new ScriptedRpc(scriptedChain(5, () => 0)).start();
  rpc.takeover = (calls) => calls.some(({ method }) => method === "eth_getCode");
  const chain = openEvmChain({
    urls: [rpc.url],
    chainId: rpc.chainId,
    escrow: ESCROW,
    confirmations: 1,
    clock: systemClock,
  });
  // More than there are connections, and more than the judge of signatures ever lets through.
  const held = Array.from({ length: 50 }, (_, i) => chain.accounts.haveCode([evmAddress(`stranger ${i}`)]));
  const refused = Promise.allSettled(held);
  try {
    const asked = () => rpc.calls.filter(({ method }) => method === "eth_getCode").length;
    await until("all connections for accounts are held", () => asked() >= 16);
    for (const source of chain.sources) assert.equal((await source.heads()).head.number, rpc.head);
    assert.equal(asked(), 16, "before any of them was given up");
  } finally {
    chain.close();
    await refused;
    await rpc.stop();
  }
});

/** An ask that a key has signed, and the body that posts it. */
function signedAsk({ parts }: ApiScene): { record: AskRecord; body: Readonly<Record<string, unknown>> } {
  const key = new Uint8Array(32).fill(9);
  const base = ask("s");
  const pearlKey = base.terms.sellerPearlKey;
  const sellerPearlAddress = addressOfKey(pearlKey.slice(2), "rprl");
  const seller = evmAddressOf(key) as AskRecord["terms"]["seller"];
  const terms = { ...base.terms, seller, sellerPearlAddress };
  const domain = { chainId: parts.rules.chainId, verifyingContract: evmAddress("escrow") };
  const signature = signSwapMessage(askMessage(domain, terms), key);
  const body = {
    seller_pearl_address: sellerPearlAddress,
    seller_pearl_pubkey: pearlKey,
    seller_evm: seller,
    pearl_amount_sat: terms.pearlAmountSat.toString(),
    usdc_amount: terms.usdcAmount.toString(),
    expiry: terms.expiry,
    nonce: terms.nonce.toString(),
    seller_evm_signature: signature,
  };
  return { record: { ...base, askId: parts.digests.ask(terms), terms, signature }, body };
}
