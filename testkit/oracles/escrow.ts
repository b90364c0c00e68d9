// The escrow contract's second model, S-20 to S-25: a plain state machine written from their text, which says of every
// call whether it reverts, who is paid and what is logged. The contract's tests hold the compiled contract beside it,
// and worlds of swaps have it for their EVM chain. Of the token's quirks it has the one that rows must tell: it refuses
// some accounts (S-23). Signatures and the bytes that hashes are made of are left out; tests of their own have those.

import { createHash } from "node:crypto";
import { ZERO_ADDRESS, ZERO_BYTES32, type AskTerms, type Terms } from "../../src/swap/terms.ts";
import type { Bytes32, EvmAddress } from "../../src/primitives/brands.ts";
import type { EscrowEvent } from "../../src/swap/facts.ts";

const HOUR = 3600;
const FIELD_PRIME = 2n ** 256n - 2n ** 32n - 977n;

/** A call of the contract; `ask` stands for an ask with its seller's signature. */
export type Call =
  | { readonly fn: "lock"; readonly terms: Terms }
  | { readonly fn: "lockWithAsk"; readonly terms: Terms; readonly ask: AskTerms }
  | { readonly fn: "accept"; readonly orderHash: Bytes32; readonly key: Bytes32 }
  | { readonly fn: "cancel" | "refund" | "refundCooperative"; readonly orderHash: Bytes32 }
  | { readonly fn: "claim"; readonly orderHash: Bytes32; readonly secret: Bytes32 }
  | { readonly fn: "withdrawCredit" | "withdrawFees"; readonly to: EvmAddress }
  | { readonly fn: "revokeAsks"; readonly below: bigint }
  | { readonly fn: "setFee"; readonly feeBps: number; readonly feeRecipient: EvmAddress }
  | { readonly fn: "pause" | "unpause" };

/** A log before it has a place. */
export type EscrowLog = EscrowEvent extends infer Event
  ? Event extends EscrowEvent
    ? Omit<Event, "place">
    : never
  : never;

/** States of an order (S-20). */
export type EscrowState = "Locked" | "Accepted" | "Claimed" | "Refunded" | "Cancelled";

/** An order as the contract keeps it. */
export interface EscrowOrder {
  readonly terms: Terms;
  readonly state: EscrowState;
  readonly seller: EvmAddress;
  readonly sellerKey: Bytes32;
}

/** All storage of contract and token. Never changed in place. */
export interface EscrowStorage {
  readonly orders: ReadonlyMap<Bytes32, EscrowOrder>;
  readonly hashlocks: ReadonlySet<string>;
  readonly asksTaken: ReadonlySet<Bytes32>;
  /** Raw USDC by holder; the contract's own under `escrow`. */
  readonly usdc: ReadonlyMap<string, bigint>;
  /** Fees that wait, by who may withdraw them. */
  readonly fees: ReadonlyMap<EvmAddress, bigint>;
  /** Payouts that the token refused, by the account that is owed. */
  readonly credits: ReadonlyMap<EvmAddress, bigint>;
  /** The least nonce of a seller's asks that are not revoked. */
  readonly askBounds: ReadonlyMap<EvmAddress, bigint>;
  readonly feeBps: number;
  readonly feeRecipient: EvmAddress;
  readonly paused: boolean;
  /** Accounts that the token pays nothing. */
  readonly refused: ReadonlySet<EvmAddress>;
  /** Accounts that the token takes nothing from. */
  readonly barred: ReadonlySet<EvmAddress>;
}

/** What a contract is deployed with; `marginS` is 4 h but in worlds that are broken on purpose. */
export interface EscrowSettings {
  /** Who may pause and set the fee; absent: nobody. */
  readonly owner?: EvmAddress;
  readonly feeBps: number;
  readonly feeRecipient: EvmAddress;
  readonly minUsdc: bigint;
  readonly marginS: number;
  /** Accounts that the token pays nothing from the start. */
  readonly refused: ReadonlySet<EvmAddress>;
  /** The real names of orders and asks; absent: the model's own. */
  readonly digests?: EscrowNames;
}

/** What orders and asks are called. */
export interface EscrowNames {
  readonly orderHash: (terms: Terms) => Bytes32;
  readonly askId: (ask: AskTerms) => Bytes32;
}

/** SHA-256 as 0x hex. */
export function sha256Hex(bytes: Uint8Array | string): Bytes32 {
  return `0x${createHash("sha256").update(bytes).digest("hex")}` as Bytes32;
}

/** JSON of a value with amounts. */
export function plainText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part));
}

/** The order hash of the model: as good as the real one, and quicker. */
export function orderHashOf(terms: Terms): Bytes32 {
  return sha256Hex(`terms ${plainText(terms)}`);
}

/** The ask id of the model. */
export function askIdOf(ask: AskTerms): Bytes32 {
  return sha256Hex(`ask ${plainText(ask)}`);
}

/** Storage after the deployment, over a token with these holdings. */
export function freshStorage(
  usdc: ReadonlyMap<string, bigint>,
  { feeBps, feeRecipient, refused }: EscrowSettings,
): EscrowStorage {
  return {
    orders: new Map(),
    hashlocks: new Set(),
    asksTaken: new Set(),
    usdc,
    fees: new Map(),
    credits: new Map(),
    askBounds: new Map(),
    feeBps,
    feeRecipient,
    paused: false,
    refused,
    barred: new Set(),
  };
}

interface Outcome {
  readonly storage: EscrowStorage;
  readonly logs: readonly EscrowLog[];
}

/** Executes a call in a block of this time; null where it reverts. */
export function execute(
  storage: EscrowStorage,
  settings: EscrowSettings,
  from: EvmAddress,
  call: Call,
  time: number,
): Outcome | null {
  switch (call.fn) {
    case "lock":
    case "lockWithAsk":
      return lock(storage, settings, from, call, time);
    case "accept":
      return accept(storage, settings, from, call, time);
    case "withdrawCredit":
    case "withdrawFees":
      return withdraw(storage, call.fn === "withdrawFees" ? "fees" : "credits", from, call.to);
    case "revokeAsks":
      return revokeAsks(storage, from, call.below);
    case "setFee":
    case "pause":
    case "unpause":
      return from === settings.owner ? asOwner(storage, from, call) : null;
    default:
      return close(storage, from, call, time);
  }
}

function withdraw(
  storage: EscrowStorage,
  from: "fees" | "credits",
  account: EvmAddress,
  to: EvmAddress,
): Outcome | null {
  const amount = storage[from].get(account) ?? 0n;
  const usdc = storage.refused.has(to) ? null : transfer(storage.usdc, "escrow", to, amount);
  if (amount === 0n || usdc === null) return null;
  const left = new Map(storage[from]);
  left.delete(account);
  const log: EscrowLog =
    from === "fees"
      ? { kind: "FeesWithdrawn", recipient: account, to, amount }
      : { kind: "CreditWithdrawn", account, to, amount };
  return { storage: { ...storage, usdc, [from]: left }, logs: [log] };
}

function revokeAsks(storage: EscrowStorage, seller: EvmAddress, below: bigint): Outcome | null {
  if (below <= (storage.askBounds.get(seller) ?? 0n)) return null;
  const askBounds = new Map(storage.askBounds).set(seller, below);
  return { storage: { ...storage, askBounds }, logs: [{ kind: "AsksRevoked", seller, nonceBelow: below }] };
}

function asOwner(
  storage: EscrowStorage,
  from: EvmAddress,
  call: Extract<Call, { fn: "setFee" | "pause" | "unpause" }>,
): Outcome | null {
  if (call.fn === "setFee") {
    const { feeBps, feeRecipient } = call;
    if (feeBps > 500) return null;
    return {
      storage: { ...storage, feeBps, feeRecipient },
      logs: [{ kind: "FeeSet", feeBps, feeRecipient }],
    };
  }
  const paused = call.fn === "pause";
  if (storage.paused === paused) return null;
  return { storage: { ...storage, paused }, logs: [{ kind: paused ? "Paused" : "Unpaused", account: from }] };
}

function keyFits(key: Bytes32): boolean {
  return key !== ZERO_BYTES32 && BigInt(key) < FIELD_PRIME;
}

function timesFit(terms: Terms, time: number, marginS: number): boolean {
  const { pearlRefundTime, evmRefundTime } = terms;
  if (time + 2 * HOUR > pearlRefundTime || pearlRefundTime + marginS > evmRefundTime) return false;
  return evmRefundTime <= time + 72 * HOUR && evmRefundTime <= 4_294_967_295;
}

function termsFit(terms: Terms, storage: EscrowStorage, settings: EscrowSettings, time: number): boolean {
  if (!timesFit(terms, time, settings.marginS)) return false;
  if (terms.hashlock === ZERO_BYTES32 || storage.hashlocks.has(`${terms.buyer}/${terms.hashlock}`))
    return false;
  if (terms.pearlAmountSat < 10_000n || terms.pearlAmountSat > 2_100_000_000_000_000_000n) return false;
  if (terms.usdcAmount < settings.minUsdc || terms.usdcAmount >= 2n ** 128n) return false;
  if (terms.seller === terms.buyer || !keyFits(terms.buyerPearlKey)) return false;
  if (terms.buyerPearlKey === terms.sellerPearlKey || BigInt(terms.sellerPearlKey) >= FIELD_PRIME)
    return false;
  return terms.feeBps === storage.feeBps && terms.feeRecipient === storage.feeRecipient;
}

function lock(
  storage: EscrowStorage,
  settings: EscrowSettings,
  from: EvmAddress,
  call: Extract<Call, { fn: "lock" | "lockWithAsk" }>,
  time: number,
): Outcome | null {
  const { terms } = call;
  const hash = settings.digests?.orderHash(terms) ?? orderHashOf(terms);
  const isAsk = call.fn === "lockWithAsk";
  if (storage.paused || storage.barred.has(from)) return null;
  if (terms.buyer !== from || storage.orders.has(hash) || !termsFit(terms, storage, settings, time))
    return null;
  if (isAsk && !askFits(call.terms, call.ask, storage, settings, time)) return null;
  if (!isAsk && (terms.askId !== ZERO_BYTES32 || terms.sellerPearlKey !== ZERO_BYTES32)) return null;
  const paid = transfer(storage.usdc, from, "escrow", terms.usdcAmount);
  if (paid === null) return null;
  const order: EscrowOrder = {
    terms,
    state: isAsk ? "Accepted" : "Locked",
    seller: isAsk ? terms.seller : ZERO_ADDRESS,
    sellerKey: isAsk ? terms.sellerPearlKey : ZERO_BYTES32,
  };
  const { seller, sellerPearlKey, askId } = terms;
  const locked: EscrowLog = { kind: "OrderLocked", orderHash: hash, terms };
  const accepted: EscrowLog = { kind: "OrderAccepted", orderHash: hash, seller, sellerPearlKey };
  return {
    storage: {
      ...storage,
      usdc: paid,
      orders: new Map(storage.orders).set(hash, order),
      hashlocks: new Set(storage.hashlocks).add(`${terms.buyer}/${terms.hashlock}`),
      asksTaken: isAsk ? new Set(storage.asksTaken).add(askId) : storage.asksTaken,
    },
    logs: isAsk ? [locked, accepted] : [locked],
  };
}

function askFits(
  terms: Terms,
  ask: AskTerms,
  storage: EscrowStorage,
  settings: EscrowSettings,
  time: number,
): boolean {
  const id = settings.digests?.askId(ask) ?? askIdOf(ask);
  if (terms.askId !== id || storage.asksTaken.has(id) || time >= ask.expiry) return false;
  if (ask.nonce < (storage.askBounds.get(ask.seller) ?? 0n)) return false;
  const fields = [
    "seller",
    "sellerPearlKey",
    "pearlAmountSat",
    "usdcAmount",
    "feeBps",
    "feeRecipient",
  ] as const;
  return keyFits(terms.sellerPearlKey) && fields.every((field) => terms[field] === ask[field]);
}

function accept(
  storage: EscrowStorage,
  settings: EscrowSettings,
  from: EvmAddress,
  { orderHash, key }: Extract<Call, { fn: "accept" }>,
  time: number,
): Outcome | null {
  const order = storage.orders.get(orderHash);
  if (storage.paused || order?.state !== "Locked") return null;
  const { terms } = order;
  if (from === terms.buyer || (terms.seller !== ZERO_ADDRESS && terms.seller !== from)) return null;
  if (!keyFits(key) || key === terms.buyerPearlKey || !timesFit(terms, time, settings.marginS)) return null;
  const accepted: EscrowOrder = { ...order, state: "Accepted", seller: from, sellerKey: key };
  return {
    storage: { ...storage, orders: new Map(storage.orders).set(orderHash, accepted) },
    logs: [{ kind: "OrderAccepted", orderHash, seller: from, sellerPearlKey: key }],
  };
}

/** What a payout does: the token pays, or refuses and the payee is owed. */
function payout(
  { usdc, credits, refused }: EscrowStorage,
  payee: EvmAddress,
  sum: bigint,
): Pick<EscrowStorage, "usdc" | "credits"> {
  if (!refused.has(payee)) return { usdc: transfer(usdc, "escrow", payee, sum) ?? usdc, credits };
  return { usdc, credits: added(credits, payee, sum) };
}

function close(
  storage: EscrowStorage,
  from: EvmAddress,
  call: Extract<Call, { fn: "cancel" | "refund" | "refundCooperative" | "claim" }>,
  time: number,
): Outcome | null {
  const { orderHash } = call;
  const order = storage.orders.get(orderHash);
  if (order === undefined) return null;
  const { terms, state } = order;
  const amount = terms.usdcAmount;
  const isOpen = state === "Locked" || state === "Accepted";
  const closed = (to: EscrowState, payee: EvmAddress, sum: bigint, fee: bigint, log: EscrowLog): Outcome => {
    const paid = payout(storage, payee, sum);
    const credit: EscrowLog = { kind: "PayoutCredited", orderHash, account: payee, amount: sum };
    return {
      storage: {
        ...storage,
        ...paid,
        fees: fee === 0n ? storage.fees : added(storage.fees, terms.feeRecipient, fee),
        orders: new Map(storage.orders).set(orderHash, { ...order, state: to }),
      },
      logs: paid.credits === storage.credits ? [log] : [log, credit],
    };
  };
  if (call.fn === "cancel") {
    if (from !== terms.buyer || state !== "Locked") return null;
    return closed("Cancelled", terms.buyer, amount, 0n, { kind: "OrderCancelled", orderHash });
  }
  if (call.fn === "claim") {
    const { secret } = call;
    if (state !== "Accepted" || sha256Hex(Buffer.from(secret.slice(2), "hex")) !== terms.hashlock)
      return null;
    const fee = (amount * BigInt(terms.feeBps)) / 10_000n;
    const sellerNet = amount - fee;
    return closed("Claimed", order.seller, sellerNet, fee, {
      kind: "OrderClaimed",
      orderHash,
      secret,
      sellerNet,
      fee,
    });
  }
  const isAllowed =
    call.fn === "refund"
      ? isOpen && time >= terms.evmRefundTime
      : state === "Accepted" && from === order.seller;
  if (!isAllowed) return null;
  return closed("Refunded", terms.buyer, amount, 0n, { kind: "OrderRefunded", orderHash, amount });
}

function added<Key>(sums: ReadonlyMap<Key, bigint>, key: Key, sum: bigint): ReadonlyMap<Key, bigint> {
  return new Map(sums).set(key, (sums.get(key) ?? 0n) + sum);
}

function transfer(
  usdc: ReadonlyMap<string, bigint>,
  from: string,
  to: string,
  amount: bigint,
): ReadonlyMap<string, bigint> | null {
  const has = usdc.get(from) ?? 0n;
  if (has < amount) return null;
  return added(added(usdc, from, -amount), to, amount);
}

/** What does not add up, or null: the contract holds exactly what open orders and fees are owed, and USDC is kept. */
export function conservationFault(storage: EscrowStorage, supply: bigint): string | null {
  let locked = 0n;
  for (const { state, terms } of storage.orders.values()) {
    if (state === "Locked" || state === "Accepted") locked += terms.usdcAmount;
  }
  const held = storage.usdc.get("escrow") ?? 0n;
  const owed = [...storage.credits.values(), ...storage.fees.values()].reduce((sum, one) => sum + one, 0n);
  if (held !== locked + owed) return `the escrow holds ${held}, owes ${locked} and ${owed}`;
  const total = [...storage.usdc.values()].reduce((sum, one) => sum + one, 0n);
  return total === supply ? null : `${total} of ${supply} USDC are left`;
}
