// Reads the logs of the escrow: topics and data are decoded by the contract's ABI into the facts of S-25. viem's own
// decoder also hashes every address for its checksum, which took longer than all other work on a log.

import type { AbiEvent, AbiParameter, DecodeEventLogReturnType, Hex } from "viem";
import { toEventSelector } from "viem/utils";
import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { EvmLog } from "../../swaps/evm/evm-chain.ts";
import type { EscrowEvent, EvmPlace } from "../../swap/facts.ts";
import type { Terms } from "../../swap/terms.ts";
import { escrowAbi } from "./escrow-abi.ts";

type EscrowAbiEvent = Extract<(typeof escrowAbi)[number], { readonly type: "event" }>;
type EventName = EscrowEvent["kind"];

const ITEMS: ReadonlyMap<string, EscrowAbiEvent> = new Map(
  escrowAbi.flatMap((item) => (item.type === "event" ? [[item.name, item] as const] : [])),
);

/** The event item of the ABI. */
function eventItem(name: EventName): EscrowAbiEvent {
  const item = ITEMS.get(name);
  if (item === undefined) throw new Error(`the escrow's ABI has no event ${name}`);
  return item;
}

interface RawLog {
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
}

type EventArguments<Name extends EventName> = DecodeEventLogReturnType<typeof escrowAbi, Name>["args"];

/** @throws RangeError where a word is none of its type. */
function argumentsOf<Name extends EventName>(
  name: Name,
  { topics: [, ...topics], data }: RawLog,
): EventArguments<Name> {
  // The ABI that makes the type is the one that is read by.
  return eventArguments(eventItem(name), { topics, data });
}

type Reader = (log: RawLog, place: EvmPlace) => EscrowEvent;

const bytes32 = (value: Hex): Bytes32 => value.toLowerCase() as Bytes32;
const address = (value: Hex): EvmAddress => value.toLowerCase() as EvmAddress;

/** The ABI writes a uint64 as bigint; a time above 2^53 is none that the contract accepts (S-22). */
function seconds(value: bigint): number {
  if (value > 4_294_967_295n) throw new RangeError(`a time of ${value} s`);
  return Number(value);
}

interface RawTerms {
  readonly buyer: Hex;
  readonly seller: Hex;
  readonly hashlock: Hex;
  readonly usdcAmount: bigint;
  readonly pearlAmountSat: bigint;
  readonly buyerPearlKey: Hex;
  readonly sellerPearlKey: Hex;
  readonly pearlRefundTime: bigint;
  readonly evmRefundTime: bigint;
  readonly feeBps: number;
  readonly feeRecipient: Hex;
  readonly askId: Hex;
  readonly nonce: bigint;
}

function termsOf(raw: RawTerms): Terms {
  return {
    buyer: address(raw.buyer),
    seller: address(raw.seller),
    hashlock: bytes32(raw.hashlock),
    usdcAmount: raw.usdcAmount,
    pearlAmountSat: raw.pearlAmountSat,
    buyerPearlKey: bytes32(raw.buyerPearlKey),
    sellerPearlKey: bytes32(raw.sellerPearlKey),
    pearlRefundTime: seconds(raw.pearlRefundTime),
    evmRefundTime: seconds(raw.evmRefundTime),
    feeBps: raw.feeBps,
    feeRecipient: address(raw.feeRecipient),
    askId: bytes32(raw.askId),
    nonce: raw.nonce,
  };
}

function orderLocked(log: RawLog, place: EvmPlace): EscrowEvent {
  const args = argumentsOf("OrderLocked", log);
  const terms = termsOf(args.terms);
  // The indexed copies are what wallets filter by; a log whose copies differ was not made by the contract.
  if (terms.buyer !== address(args.buyer) || terms.seller !== address(args.seller)) {
    throw new RangeError("topics that differ from the terms");
  }
  return { kind: "OrderLocked", place, orderHash: bytes32(args.orderHash), terms };
}

/** One reader per event. */
const READERS: { readonly [Name in EventName]: Reader } = {
  OrderLocked: orderLocked,
  OrderAccepted: (log, place) => {
    const args = argumentsOf("OrderAccepted", log);
    return {
      kind: "OrderAccepted",
      place,
      orderHash: bytes32(args.orderHash),
      seller: address(args.seller),
      sellerPearlKey: bytes32(args.sellerPearlKey),
    };
  },
  OrderCancelled: (log, place) => {
    const args = argumentsOf("OrderCancelled", log);
    return { kind: "OrderCancelled", place, orderHash: bytes32(args.orderHash) };
  },
  OrderClaimed: (log, place) => {
    const args = argumentsOf("OrderClaimed", log);
    const { sellerNet, fee } = args;
    return {
      kind: "OrderClaimed",
      place,
      orderHash: bytes32(args.orderHash),
      secret: bytes32(args.secret),
      sellerNet,
      fee,
    };
  },
  OrderRefunded: (log, place) => {
    const args = argumentsOf("OrderRefunded", log);
    return { kind: "OrderRefunded", place, orderHash: bytes32(args.orderHash), amount: args.amount };
  },
  AsksRevoked: (log, place) => {
    const args = argumentsOf("AsksRevoked", log);
    return { kind: "AsksRevoked", place, seller: address(args.seller), nonceBelow: args.nonceBelow };
  },
  FeeSet: (log, place) => {
    const args = argumentsOf("FeeSet", log);
    return { kind: "FeeSet", place, feeBps: args.feeBps, feeRecipient: address(args.feeRecipient) };
  },
  PayoutCredited: (log, place) => {
    const args = argumentsOf("PayoutCredited", log);
    const { amount } = args;
    return {
      kind: "PayoutCredited",
      place,
      orderHash: bytes32(args.orderHash),
      account: address(args.account),
      amount,
    };
  },
  CreditWithdrawn: (log, place) => {
    const args = argumentsOf("CreditWithdrawn", log);
    const { amount } = args;
    return { kind: "CreditWithdrawn", place, account: address(args.account), to: address(args.to), amount };
  },
  FeesWithdrawn: (log, place) => {
    const args = argumentsOf("FeesWithdrawn", log);
    const { amount } = args;
    return { kind: "FeesWithdrawn", place, recipient: address(args.recipient), to: address(args.to), amount };
  },
  Paused: (log, place) => ({
    kind: "Paused",
    place,
    account: address(argumentsOf("Paused", log).account),
  }),
  Unpaused: (log, place) => ({
    kind: "Unpaused",
    place,
    account: address(argumentsOf("Unpaused", log).account),
  }),
};

interface EventShape {
  readonly name: string;
  readonly read: Reader;
  readonly topics: number;
  /** Length of the data as 0x-text: all parameters of the contract's events are of fixed size. */
  readonly dataLength: number;
}

function shapeOf(name: string, read: Reader, item: AbiEvent): EventShape {
  const inData = item.inputs.filter(({ indexed }) => indexed !== true);
  const words = inData.map((input) => ("components" in input ? input.components.length : 1));
  const bytes = 32 * words.reduce((sum, count) => sum + count, 0);
  return { name, read, topics: 1 + item.inputs.length - inData.length, dataLength: 2 + 2 * bytes };
}

const BY_TOPIC: ReadonlyMap<string, EventShape> = new Map(
  Object.entries(READERS).map(([name, read]) => {
    const item: AbiEvent = eventItem(name as EventName);
    return [toEventSelector(item), shapeOf(name, read, item)];
  }),
);

/**
 * The event of a log, null for one without a meaning for swaps, a sentence where topics and data are not those of the
 * event that the first topic names. `place`: where its block really stands.
 */
export function readEscrowLog(log: EvmLog, place: EvmPlace): EscrowEvent | string | null {
  const [selector, ...indexed] = log.topics;
  const shape = selector === undefined ? undefined : BY_TOPIC.get(selector);
  if (selector === undefined || shape === undefined) return null;
  const topics: [Hex, ...Hex[]] = [selector as Hex, ...(indexed as Hex[])];
  const isShaped = topics.length === shape.topics && log.data.length === shape.dataLength;
  const event = isShaped ? decoded(shape, { topics, data: log.data as Hex }, place) : null;
  return (
    event ??
    `log ${log.logIndex} of block ${log.block} (${log.blockHash}) has the topic of ${shape.name} and is none; is the ` +
      "contract at ESCROW_ADDRESS a PearlUsdcEscrow?"
  );
}

/** Null where the ABI does not fit. */
function decoded(shape: EventShape, log: RawLog, place: EvmPlace): EscrowEvent | null {
  try {
    return shape.read(log, place);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Topics after the first, and data, lower-case hex. */
interface LogWords {
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

type Value = Hex | number | bigint | Readonly<Record<string, unknown>>;

const ADDRESS_PADDING = "0".repeat(24);
/** As viem types them, an integer of up to this many bits is a number, a larger one a bigint. */
const NUMBER_BITS = 48;

/**
 * The event's parameters by name, as viem types them, addresses in lower case. The log must have the topics and the
 * length of data of the event; all parameters are of fixed size. @throws RangeError for a word that its type cannot hold.
 */
export function eventArguments(item: AbiEvent, log: LogWords): Readonly<Record<string, unknown>> {
  const found: Record<string, Value> = {};
  let topic = 0;
  let word = 0;
  const next = (parameter: AbiParameter): Value => {
    if (parameter.type === "tuple" && "components" in parameter) {
      const members: Record<string, Value> = {};
      for (const member of parameter.components) members[member.name ?? ""] = next(member);
      return members;
    }
    const at = 2 + 64 * word;
    word += 1;
    return valueOf(parameter.type, log.data.slice(at, at + 64));
  };
  for (const input of item.inputs) {
    const name = input.name ?? "";
    if (input.indexed === true) {
      found[name] = valueOf(input.type, (log.topics[topic] ?? "").slice(2));
      topic += 1;
    } else {
      found[name] = next(input);
    }
  }
  return found;
}

function valueOf(type: string, word: string): Value {
  if (word.length !== 64) throw new RangeError(`a word of ${word.length} digits`);
  if (type === "bytes32") return `0x${word}`;
  if (type === "address") {
    if (!word.startsWith(ADDRESS_PADDING)) throw new RangeError(`the address ${word}`);
    return `0x${word.slice(24)}`;
  }
  const bits = /^uint(\d+)$/.exec(type)?.[1];
  if (bits === undefined) throw new TypeError(`events of the escrow have no ${type}`);
  const value = BigInt(`0x${word}`);
  if (value >> BigInt(bits) !== 0n) throw new RangeError(`a ${type} of ${value}`);
  return Number(bits) <= NUMBER_BITS ? Number(value) : value;
}
