// What people still do about a deal that is long over: money that comes late to its lock, the same POST once more, an order
// that has its hashlock or its script. Nobody honest does any of it, and the service has to tell it as it is (S-63).

import type { Bytes32 } from "../../../../src/primitives/brands.ts";
import { ZERO_ADDRESS, ZERO_BYTES32 } from "../../../../src/swap/terms.ts";
import type { EscrowOrder } from "../../../oracles/escrow.ts";
import type { LateDeed } from "../steps.ts";
import { askIdOf, partyPearlAddress, signedAsk, signedOrigin, takeOf } from "./messages.ts";
import { bytes32Of, lockOfOrder, partyAddress, partyKey, Purse } from "./purse.ts";
import type { Society } from "./society.ts";

const STRANGER = "oscar";

/** Does it about one of the orders that are closed. */
export async function doLate(society: Society, deed: LateDeed, deal: number): Promise<void> {
  const closed = [...society.evm.storage.orders].filter(
    ([, { state }]) => state !== "Locked" && state !== "Accepted",
  );
  const chosen = closed[deal % Math.max(1, closed.length)];
  if (chosen === undefined) return;
  if (await DEEDS[deed](society, ...chosen)) society.note(`late: ${deed}`);
}

type Deed = (society: Society, hash: Bytes32, order: EscrowOrder) => Promise<boolean> | boolean;

const DEEDS: Readonly<Record<LateDeed, Deed>> = {
  "pay the lock": (society, _, order) => pay(society, order, order.terms.pearlAmountSat),
  "pay dust to the lock": (society, _, order) => pay(society, order, 2500n),
  "take back what was paid": takeBack,
  "name the lock": async (society, hash, order) => {
    const lock = lockOfOrder(order);
    const output = lock === null ? undefined : society.pearl.outputsOf(lock.script).at(-1);
    if (output === undefined) return false;
    const { txid, vout } = output;
    const answer = await society.post(`deals/${hash}/accept-lock`, {
      pearl_lock_txid: txid,
      pearl_lock_vout: vout,
    });
    return answer?.status === 200;
  },
  "say where it began": async (society, hash, { terms }) => {
    const name = society.nameOf(terms.buyer);
    const answer = await society.post(`bids/${hash}/origin`, signedOrigin(name, hash, "late.example"));
    return answer?.status === 200;
  },
  "take the ask again": async (society, _, { terms }) => {
    if (terms.askId === ZERO_BYTES32) return false;
    const address = partyPearlAddress(society.nameOf(terms.buyer));
    const answer = await society.post(`asks/${terms.askId}/take`, takeOf(terms, address));
    return answer?.status === 200;
  },
  "offer the ask again": async (society, _, { terms }) => {
    const ask = society.asks.find((one) => askIdOf(one) === terms.askId);
    if (ask === undefined) return false;
    const answer = await society.post("asks", signedAsk(society.nameOf(ask.seller), ask));
    return answer?.status === 200;
  },
  "reuse the hashlock": reuse,
};

function pay(society: Society, order: EscrowOrder, amount: bigint): boolean {
  const lock = lockOfOrder(order);
  const purse = strangersPurse(society);
  if (lock === null || purse.isEmpty) return false;
  return society.pearl.submit(purse.lock(lock, amount, [purse.take()]).signed.hex) === null;
}

/** The seller refunds whatever lies on the script. */
function takeBack(society: Society, _: Bytes32, order: EscrowOrder): boolean {
  const lock = lockOfOrder(order);
  const name = society.nameOf(order.seller);
  if (lock === null || bytes32Of(partyKey(name).outputKey) !== order.sellerKey) return false;
  const left = society.pearl
    .outputsOf(lock.script)
    .find(({ txid, vout, value }) => value > 10_000n && society.pearl.spenderOf(`${txid}:${vout}`) === null);
  if (left === undefined || society.pearl.medianTime <= order.terms.pearlRefundTime) return false;
  const coin = { txid: left.txid, vout: left.vout, amount: left.value, script: lock.script };
  return society.pearl.submit(new Purse(partyKey(name)).refund(lock, coin).hex) === null;
}

/** A stranger's order with the hashlock. */
function reuse(society: Society, _: Bytes32, { terms }: EscrowOrder): boolean {
  const { now, evm } = society;
  const buyer = partyAddress(STRANGER);
  if (buyer === terms.buyer) return false;
  const pearlRefundTime = now + 6 * 3600;
  const times = { pearlRefundTime, evmRefundTime: pearlRefundTime + 6 * 3600 };
  const none = { seller: ZERO_ADDRESS, sellerPearlKey: ZERO_BYTES32, askId: ZERO_BYTES32 };
  evm.submit(buyer, { fn: "lock", terms: { ...terms, ...none, ...times, buyer } });
  return true;
}

/** A stranger's coins that nobody has spent. */
function strangersPurse({ pearl }: Society): Purse {
  const purse = new Purse(partyKey(STRANGER));
  const script = Buffer.from(purse.key.script).toString("hex");
  purse.fill(
    pearl
      .unspent(new Set([script]))
      .filter(({ txid, vout }) => pearl.core.mempool.spender(`${txid}:${vout}`) === undefined),
  );
  return purse;
}
