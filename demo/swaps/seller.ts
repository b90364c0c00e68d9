// Takes the steps of a seller: puts the PEARL on an address of its own for the swap, signs the ask or accepts the bid,
// locks, and takes what is due: the USDC with the secret, or the PEARL back after the refund time.

import { encodeFunctionData } from "viem";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import {
  addressOfSigner,
  askMessage,
  buildPayment,
  buildSwapLock,
  buildSwapRefund,
  type Funding,
  type OwnedCoin,
  signPearlProof,
  signSwapMessage,
  type SwapAsk,
  swapMessageDigest,
} from "../../src/wallet/index.ts";
import { type Row, text } from "../index-client.ts";
import { fundingOf, send } from "../stage.ts";
import { lower, sellerKey } from "./people.ts";
import { type NextAction, present, type Scenery } from "./scenery.ts";
import type { Order, Story } from "./story.ts";
import { expected } from "./swap-client.ts";
import { askOf, htlcOf } from "./terms.ts";
import { built, askBody, hexOf, privateKeyOf } from "../../testkit/builders/party.ts";

const HRP = "rprl";
/** Grains above the amount that pay for the lock. */
const FEES = 20_000n;
/** Seconds that an ask is open: 20 days of the demo's fast time. */
const OPEN_S = 20 * 86_400;
const FEE_PER_KVB = 2_000n;

/** Coins on the address of a swap that nothing spends yet; with `waiting` those of the memory pool too. */
function swapCoins({ node, keySeed }: Scenery, story: Story, waiting: boolean): readonly OwnedCoin[] {
  const key = sellerKey(keySeed, story.id);
  const isOurs = (script: Uint8Array): boolean => Buffer.compare(script, key.script) === 0;
  const coins: OwnedCoin[] = [];
  const add = (txid: string, vout: number, amount: bigint): void => {
    if (node.mempool.spender(`${txid}:${vout}`) !== undefined) return;
    coins.push({ coin: { txid, vout, amount, script: key.script }, key });
  };
  for (const [place, { script, value }] of node.chain.coins.all()) {
    const [txid = "", vout = ""] = place.split(":");
    if (isOurs(script)) add(txid, Number(vout), value);
  }
  if (!waiting) return coins;
  for (const { tx } of node.mempool.entries()) {
    for (const [vout, { value, script }] of tx.tx.outs.entries())
      if (isOurs(script)) add(tx.txid, vout, value);
  }
  return coins;
}

/** Sees to it that the PEARL of the swap lies on its address; true once it is confirmed there. */
export async function keepFunded(scenery: Scenery, story: Story): Promise<boolean> {
  if (swapCoins(scenery, story, false).length > 0) return true;
  if (swapCoins(scenery, story, true).length > 0) return false;
  const seller = scenery.people.named(story.seller).actor;
  const outputs = [
    { amount: BigInt(story.pearlSat) + FEES, script: sellerKey(scenery.keySeed, story.id).script },
  ];
  await send(scenery.stage, built(buildPayment(outputs, fundingOf(scenery.stage, seller))));
  return false;
}

/** Moves what lies on the address of the swap into the seller's wallet; false where there is nothing. */
export async function moveAway(scenery: Scenery, story: Story): Promise<boolean> {
  const coins = swapCoins(scenery, story, false);
  const total = coins.reduce((sum, { coin }) => sum + coin.amount, 0n);
  if (total === 0n) return false;
  const outputs = [{ amount: total - FEES / 2n, script: backTo(scenery, story).changeScript }];
  await send(scenery.stage, built(buildPayment(outputs, { ...backTo(scenery, story), coins })));
  return true;
}

/** Signs the ask of the story, with the proof of its PEARL key; posts nothing. */
export function signAsk(scenery: Scenery, story: Story): NonNullable<Story["ask"]> {
  const key = sellerKey(scenery.keySeed, story.id);
  const ask = askOf(scenery, story, addressOfSigner(key, HRP), present(scenery) + OPEN_S);
  const message = askMessage(scenery.escrow.domain, ask);
  const id = swapMessageDigest(message);
  const seller = scenery.people.named(story.seller);
  return {
    id,
    body: {
      ...askBody(ask, signSwapMessage(message, privateKeyOf(seller.account))),
      seller_pearl_signature: signPearlProof(key, id),
    },
  };
}

/** The ask that the story's body writes, as the contract wants it. */
export function signedAsk(
  scenery: Scenery,
  story: Story,
  body: Row,
): { readonly ask: SwapAsk; readonly signature: string } {
  const expiry = Number(body["expiry"]);
  return {
    ask: askOf(scenery, story, text(body, "seller_pearl_address"), expiry),
    signature: text(body, "seller_evm_signature"),
  };
}

/** Posts the ask; false where the service does not see its PEARL yet. */
export async function postAsk({ service }: Scenery, { body }: NonNullable<Story["ask"]>): Promise<boolean> {
  const answer = await service.post("asks", body);
  const isEarly = answer.row["error"] === "ASK_INSUFFICIENT_SELLER_BALANCE" || answer.status === 503;
  if (!isEarly) expected(answer, "POST asks", 200, 201);
  return !isEarly;
}

/** Accepts the bid with the swap's own key. */
export async function acceptBid(scenery: Scenery, story: Story, { hash }: Order): Promise<void> {
  const { account } = scenery.people.named(story.seller);
  const args = [hash, hexOf(sellerKey(scenery.keySeed, story.id).outputKey)] as const;
  const data = encodeFunctionData({ abi: escrowAbi, functionName: "accept", args });
  await scenery.chain.send(account, { to: scenery.escrow.address, data });
}

/** Locks the PEARL; what was signed before is sent again as long as it can be (S-54). False: no coin is there. */
export async function lockPearl(scenery: Scenery, story: Story, order: Order): Promise<boolean> {
  if (story.lockTx !== null) {
    const again = scenery.node.submitRaw(story.lockTx);
    if (again.ok) return true;
  }
  const coins = swapCoins(scenery, story, true);
  if (coins.length === 0) return false;
  const funding = { ...backTo(scenery, story), coins };
  // The swap's address has one coin, so a second lock transaction spends what the first one spent.
  const tx = built(buildSwapLock(htlcOf(scenery, story, order), BigInt(story.pearlSat), funding));
  story.lockTx = tx.hex;
  scenery.book.save();
  await send(scenery.stage, tx);
  return true;
}

/** Takes a lock output back. */
export async function refundPearl(
  scenery: Scenery,
  story: Story,
  order: Order,
  action: NextAction,
): Promise<void> {
  const lock = htlcOf(scenery, story, order);
  const [txid = "", vout = ""] = (action.outpoint ?? "").split(":");
  const coin = { txid, vout: Number(vout), amount: BigInt(action.amountSat ?? "0"), script: lock.script };
  const key = sellerKey(scenery.keySeed, story.id);
  await send(scenery.stage, built(buildSwapRefund([{ lock, coin, key }], backTo(scenery, story))));
}

/** Sends the buyer's USDC back before its time. */
export async function refundCooperative(scenery: Scenery, story: Story, { hash }: Order): Promise<void> {
  const { account } = scenery.people.named(story.seller);
  const data = encodeFunctionData({ abi: escrowAbi, functionName: "refundCooperative", args: [hash] });
  await scenery.chain.send(account, { to: scenery.escrow.address, data });
}

/** Claims the USDC with the secret that the service shows since it is public. */
export async function claimUsdc(scenery: Scenery, story: Story, { hash }: Order, row: Row): Promise<void> {
  const { account } = scenery.people.named(story.seller);
  const secret = lower(text(row, "secret_hex"));
  const data = encodeFunctionData({ abi: escrowAbi, functionName: "claim", args: [hash, secret] });
  await scenery.chain.send(account, { to: scenery.escrow.address, data });
}

/** A funding without coins whose change goes to the seller's wallet. */
function backTo({ people }: Scenery, story: Story): Funding {
  const { key } = people.named(story.seller).actor;
  return { coins: [], changeScript: key.script, feePerKvb: FEE_PER_KVB };
}
