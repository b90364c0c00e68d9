// Judges what a service says while an RPC lies to it: the honest chain alone decides. `lock_pearl`, `accept_bid`, a
// claim that reveals, a verified lock and a leg called final need an order that the honest chain carries in a block
// that it calls final (S-07, S-08); and once the lies are over, the rows are the honest ones.

import { LOCK_TIMES } from "./lying-steps.ts";
import type { Bytes32, EvmAddress } from "../../../src/primitives/brands.ts";
import { type EscrowOrder, plainText } from "../../oracles/escrow.ts";
import type { EvmWorld } from "../service/evm/evm-world.ts";
import { judgeRow, mustBeAccepted } from "../service/judge-row.ts";
import type { LookingLife } from "../service/looking-life.ts";
import type { SwapRow } from "../service/people/society.ts";

/** What the judge knows of a world. */
export interface Honesty {
  readonly evm: EvmWorld;
  /** Orders that were sent to the honest chain. */
  readonly honestOrders: readonly Bytes32[];
  /** Orders that only the liar has. */
  readonly falseOrders: readonly Bytes32[];
  /** The seller of all orders. */
  readonly seller: EvmAddress;
  /** Orders for which the seller has locked PEARL. */
  readonly pearlLocked: ReadonlySet<Bytes32>;
  /** When an honest RPC last showed an end of the order, world time; null: never. */
  readonly endShownAt: (orderHash: Bytes32) => number | null;
  /** World time, unix seconds. */
  readonly now: number;
  /** Something has come up. */
  readonly note: (what: string) => void;
}

/** @throws Error where the service offers, verifies or calls final what the honest chain does not carry. */
export function judge(service: LookingLife, honesty: Honesty): void {
  const { evm, honestOrders, falseOrders, endShownAt, now, note } = honesty;
  judgeFinal(service, evm);
  if (differenceOfSettings(service, honesty) !== null) note("a false setting");
  for (const hash of [...honestOrders, ...falseOrders]) {
    const row = service.row(hash);
    const carried = carriedBy(evm, hash);
    if (row !== null) judgeRow(row, carried, note);
    if (row !== null) judgeEnd(row, now - (endShownAt(hash) ?? 0), note);
    if (!service.verifiesLock(hash)) continue;
    note("lock verified");
    mustBeAccepted(carried, `the lock of ${hash} is verified`);
  }
}

/** The final height in force is one of the honest chain, and so is its hash. */
function judgeFinal(service: LookingLife, evm: EvmWorld): void {
  const { finalHeight } = service.ledger.tips().evm;
  if (finalHeight > evm.finalHeight)
    throw new Error(`block ${finalHeight} counts as final, ${evm.finalHeight} is`);
  const kept = service.ledger.checkpoints("evm").find(({ height }) => height === finalHeight);
  if (kept !== undefined && kept.hash !== evm.at(finalHeight)?.hash)
    throw new Error(`block ${finalHeight} counts as final with the hash ${kept.hash}`);
}

/** What the honest chain calls final of an order. */
function carriedBy(evm: EvmWorld, hash: Bytes32): EscrowOrder | null {
  return evm.at(evm.finalHeight)?.storage.orders.get(hash) ?? null;
}

/** Ends of an order, and what is to be done in time if they never came. */
const DUE_WITHOUT_END: Readonly<Record<string, string>> = {
  claimed: "claim_usdc",
  refunded: "refund_usdc",
  cancelled: "refund_usdc",
};

/** A word of an RPC counts for 30 s (S-07), and the waits of a look pass beside the world's time. */
const WORD_COUNTS_S = 45;

/** An end that no honest RPC shows takes neither the claim nor the refund of the USDC away. */
function judgeEnd(row: SwapRow, notShownForS: number, note: Honesty["note"]): void {
  const due = DUE_WITHOUT_END[row.evm_leg.state];
  if (due === undefined || notShownForS <= WORD_COUNTS_S) return;
  note(`a false end: ${row.evm_leg.state}`);
  if (!row.next_actions.some(({ action }) => action === due))
    throw new Error(`${due} of ${row.order_hash} is not offered, and no honest RPC shows its end`);
}

/** What is not as the honest chain has it, or null: for a time when enough RPCs have told the truth for a while. */
export function differenceOf(service: LookingLife | null, honesty: Honesty): string | null {
  if (service === null) return "the service does not run";
  const notReady = service.readiness.check("deals");
  if (notReady !== null) return `not ready: ${notReady.message} ${plainText(notReady.details)}`;
  const { falseOrders, honestOrders, evm } = honesty;
  const { finalHeight } = service.ledger.tips().evm;
  // One behind: a poll lies between the honest chain's last block and the next look.
  if (finalHeight < evm.finalHeight - 1) return `final is ${finalHeight} instead of ${evm.finalHeight}`;
  const invented = falseOrders.find((hash) => service.row(hash) !== null);
  if (invented !== undefined) return `${invented} was never locked`;
  const settings = differenceOfSettings(service, honesty);
  if (settings !== null) return settings;
  for (const hash of honestOrders) {
    const difference = differenceOfOrder(hash, service, honesty);
    if (difference !== null) return difference;
  }
  return null;
}

/** What is shown of the contract beside its orders: the honest chain of these worlds never changes it. */
function differenceOfSettings({ ledger }: LookingLife, { evm, seller }: Honesty): string | null {
  const { paused, feeBps, feeRecipient, askBounds } = evm.storage;
  if (ledger.isPaused() !== paused) return paused ? "the pause is not shown" : "a pause is shown";
  const fee = ledger.fee();
  if (fee?.feeBps !== feeBps || fee.feeRecipient !== feeRecipient) return `the fee is ${plainText(fee)}`;
  const bound = ledger.minAskNonce(seller);
  return bound === (askBounds.get(seller) ?? 0n) ? null : `asks are revoked below ${bound}`;
}

function differenceOfOrder(hash: Bytes32, service: LookingLife, honesty: Honesty): string | null {
  const carried = carriedBy(honesty.evm, hash);
  const row = service.row(hash);
  if (carried === null) return null;
  if (row === null) return `${hash} is missing`;
  const atHead = (honesty.evm.storage.orders.get(hash)?.state ?? "None").toLowerCase();
  const atFinal = carried.state.toLowerCase();
  if (row.evm_leg.state !== atHead && row.evm_leg.state !== atFinal)
    return `${hash} is ${row.evm_leg.state} instead of ${atFinal}`;
  if (row.usdc_amount !== carried.terms.usdcAmount.toString()) return `${hash} has other terms`;
  const mayLock =
    honesty.now < carried.terms.pearlRefundTime - LOCK_TIMES.lockLeadS && row.secret_hex === null;
  const isWaiting = atFinal === "accepted" && atHead === "accepted" && !honesty.pearlLocked.has(hash);
  if (isWaiting && mayLock && !row.next_actions.some(({ action }) => action === "lock_pearl"))
    return `lock_pearl of ${hash} is not offered`;
  return null;
}
