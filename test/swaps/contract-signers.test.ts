// What the escrow takes as a contract account's signature, asks and signed actions take, too (S-24, S-31): also one of no
// bytes, where the owners have agreed to the digest on the chain before, and one that is good for the escrow alone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Hex } from "viem";
import type { Answer } from "../../testkit/worlds/swap-stage/http.ts";
import { fund, lockUsdc, party, signAsk, type SignedAsk } from "../../testkit/worlds/swap-stage/parties.ts";
import {
  nowOf,
  payOutputs,
  postAsk,
  postTake,
  SWAPS,
  untilDeal,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";

const WALLET: Hex = "0x5afe00000000000000000000000000000000cafe";
/** Returns the word of ERC-1271 where `isValidSignature` is called with a signature of length 0 (at 0x44), else zero. */
const APPROVES_NO_BYTES = "0x6044351560e01b631626ba7e0260005260206000f3";
const NONE = "0x";

let stage: SwapStage;

before(async () => {
  stage = await SwapStage.open();
  await payOutputs(stage, party(stage, 2), 3, 200_000_000n);
  await fund(stage, party(stage, 1), 500_000_000n);
  await stage.anvil.rpc("anvil_setCode", [WALLET, APPROVES_NO_BYTES]);
  await stage.caughtUp();
});

after(() => stage?.close());

const post = (path: string, body: object): Promise<Answer> => stage.http.post(SWAPS + path, body);

/** An ask of the wallet's; its signature is that of a key, which the wallet does not know. */
function walletsAsk(nonce: bigint): Promise<SignedAsk> {
  return signAsk(stage, { ...party(stage, 2), evm: WALLET }, { nonce });
}

test("S-31: an ask of a contract that takes no bytes is sold and locked with them, and paused by them", async () => {
  const offer = await walletsAsk(1n);
  const byKey = await post("/asks", offer.body);
  assert.equal(byKey.body["error"], "ASK_SELLER_SIGNATURE_INVALID", byKey.text);
  const posted = await post("/asks", { ...offer.body, seller_evm_signature: NONE });
  assert.equal(posted.status, 201, posted.text);
  assert.equal(posted.body["seller_evm_signature"], NONE);
  const taken = await postTake(stage, offer.askId, party(stage, 1), 1);
  assert.equal(Object(taken.answer.body["lock_call"]).seller_signature, NONE);
  const other = await walletsAsk(2n);
  assert.equal((await post("/asks", { ...other.body, seller_evm_signature: NONE })).status, 201);
  const deadline = (await nowOf(stage)) + 600;
  const paused = await post(`/asks/${other.askId}/pause`, { deadline, signature: NONE });
  assert.equal(paused.body["status"], "ASK_PAUSED", paused.text);
  await lockUsdc(stage, party(stage, 1), taken.answer);
  await stage.mineEvm(3);
  await untilDeal(stage, taken.dealHash, "USDC_LOCKED");
});

test("S-31: a key signs by no fewer bytes than 64", async () => {
  const { body } = await signAsk(stage, party(stage, 2), { nonce: 3n });
  const refused = await post("/asks", { ...body, seller_evm_signature: NONE });
  assert.equal(refused.body["error"], "ASK_SELLER_SIGNATURE_INVALID", refused.text);
  const { askId } = await postAsk(stage, party(stage, 2), { nonce: 3n });
  const deadline = (await nowOf(stage)) + 600;
  const action = await post(`/asks/${askId}/pause`, { deadline, signature: NONE });
  assert.equal(action.body["error"], "ASK_ACTION_SIGNATURE_INVALID", action.text);
});

test("S-31: a contract that answers the escrow alone is asked as the escrow would ask", async () => {
  const wallet: Hex = "0x5afe00000000000000000000000000000000f00d";
  const escrow = stage.escrow.address.slice(2).toLowerCase();
  // The word of ERC-1271 where the caller is the escrow, else zero.
  await stage.anvil.rpc("anvil_setCode", [wallet, `0x3373${escrow}14631626ba7e60e01b0260005260206000f3`]);
  const offer = await signAsk(
    stage,
    { ...party(stage, 2), evm: wallet },
    { nonce: 4n, pearlSat: 1_000_000n },
  );
  const posted = await post("/asks", offer.body);
  assert.equal(posted.status, 201, posted.text);
  const taken = await postTake(stage, offer.askId, party(stage, 1), 4);
  await lockUsdc(stage, party(stage, 1), taken.answer);
  await stage.mineEvm(3);
  await untilDeal(stage, taken.dealHash, "USDC_LOCKED");
});
