// Makes the logs that the dev node holds, a life for each order as the escrow would log it: locks from asks with their
// acceptance in the same transaction, bids that are accepted later, cancelled or left open, claims, refunds, and now
// and then a revoked ask. The contract could make every log: order hashes are those of the terms, keys are points.

import { encodeAbiParameters, encodeEventTopics, type Hex } from "viem";
import { escrowAbi } from "../src/adapters/evm-rpc/escrow-abi.ts";
import { swapCrypto } from "../src/adapters/system/swap-crypto.ts";
import type { Bytes32, EvmAddress } from "../src/primitives/brands.ts";
import { escrowDigests } from "../src/swap/eip712.ts";
import type { Terms } from "../src/swap/terms.ts";
import { CHAIN_ID, secretOf, sellerOfDeal, START, termsOfDeal } from "./swap-orders.ts";

/** Logs in one transaction, and transactions in one block. */
export const LOGS_PER_TRANSACTION = 20;
export const TRANSACTIONS_PER_BLOCK = 2;
/** Steps (an order each) until a bid is accepted or cancelled, and until an accepted order ends. */
const ACCEPT_AFTER = 300;
const CLOSE_AFTER = 2_000;
const REVOKED_EVERY = 1_000;

/** How many logs of each kind were made. */
export type LogCounts = Record<string, number>;

/** A log as the contract `LogMaker` reads it, and its event's name. */
interface MadeLog {
  readonly kind: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

type EventItem = Extract<(typeof escrowAbi)[number], { readonly type: "event" }>;

function logOf(kind: EventItem["name"], args: Readonly<Record<string, unknown>>): MadeLog {
  const item = escrowAbi.find((one): one is EventItem => one.type === "event" && one.name === kind);
  if (item === undefined) throw new Error(`the escrow has no event ${kind}`);
  const topics = encodeEventTopics({ abi: [item], eventName: kind, args }).flatMap((topic) => topic ?? []);
  const inData = item.inputs.filter((input) => !("indexed" in input && input.indexed));
  return {
    kind,
    topics,
    data: encodeAbiParameters(inData, inData.map(({ name }) => args[name ?? ""]) as never),
  };
}

function accept(deal: number, orderHash: Bytes32): MadeLog {
  const { seller, key } = sellerOfDeal(deal);
  return logOf("OrderAccepted", { orderHash, seller, sellerPearlKey: key });
}

/** The logs of all orders, in an order in which the contract could have made them, without an end. */
function* logs(escrow: EvmAddress): Generator<MadeLog, never> {
  const { terms: hashOf } = escrowDigests(
    { chainId: CHAIN_ID, verifyingContract: escrow },
    swapCrypto.keccak256,
  );
  const known = new Map<number, { readonly terms: Terms; readonly orderHash: Bytes32 }>();
  for (let step = 0; ; step += 1) {
    const isBid = step % 20 >= 12;
    const locked = termsOfDeal(step, START, isBid ? "bid" : "ask");
    const orderHash = hashOf(locked);
    known.set(step, { terms: locked, orderHash });
    yield logOf("OrderLocked", {
      orderHash,
      buyer: locked.buyer,
      seller: locked.seller,
      terms: {
        ...locked,
        pearlRefundTime: BigInt(locked.pearlRefundTime),
        evmRefundTime: BigInt(locked.evmRefundTime),
      },
    });
    if (!isBid) yield accept(step, orderHash);
    const bid = step - ACCEPT_AFTER;
    const old = known.get(bid);
    if (old !== undefined && bid % 20 >= 12 && bid % 20 < 18) yield accept(bid, old.orderHash);
    if (old !== undefined && bid % 20 === 18) yield logOf("OrderCancelled", { orderHash: old.orderHash });
    yield* closing(step - CLOSE_AFTER, known);
    if (step % REVOKED_EVERY === REVOKED_EVERY - 1) {
      yield logOf("AsksRevoked", { seller: sellerOfDeal(step).seller, nonceBelow: BigInt(step) });
    }
  }
}

/** How an order ends: of 18 accepted ones of 20, ten are claimed, four refunded, four stay open. */
function* closing(
  deal: number,
  known: Map<number, { readonly terms: Terms; readonly orderHash: Bytes32 }>,
): Generator<MadeLog> {
  const order = known.get(deal);
  known.delete(deal);
  if (order === undefined || deal % 20 >= 18) return;
  const { terms, orderHash } = order;
  const turn = (deal * 7) % 20;
  if (turn < 11) {
    const fee = terms.usdcAmount / 50n;
    const { secret } = secretOf(deal);
    yield logOf("OrderClaimed", { orderHash, secret, sellerNet: terms.usdcAmount - fee, fee });
  } else if (turn < 16) {
    yield logOf("OrderRefunded", { orderHash, amount: terms.usdcAmount });
  }
}

function recordOf({ topics, data }: MadeLog): string {
  const length = data.length / 2 - 1;
  const head = (topics.length * 65_536 + length).toString(16).padStart(6, "0");
  return head + topics.map((topic) => topic.slice(2)).join("") + data.slice(2);
}

/** Input of transactions to `LogMaker`, with `count` logs in all; `counts` is filled as they are taken. */
export function* transactionInputs(escrow: EvmAddress, count: number, counts: LogCounts): Generator<Hex> {
  const source = logs(escrow);
  for (let made = 0; made < count; ) {
    let input = "";
    for (let i = 0; i < LOGS_PER_TRANSACTION && made < count; i += 1) {
      const log = source.next().value;
      counts[log.kind] = (counts[log.kind] ?? 0) + 1;
      input += recordOf(log);
      made += 1;
    }
    yield `0x${input}`;
  }
}
