// How an event of the escrow is read back from its stored text.

import type { EscrowEvent, EvmPlace } from "../../swap/facts.ts";
import type { Terms } from "../../swap/terms.ts";
import type { FactFields } from "./fact-fields.ts";

/** How what is stored of an event is read, by its kind. */
const READERS: {
  readonly [Kind in EscrowEvent["kind"]]: (
    fields: FactFields,
    place: EvmPlace,
  ) => EscrowEvent & { readonly kind: Kind };
} = {
  OrderLocked: (fields, place) => {
    const terms = readTerms(fields.inner("terms"));
    return { kind: "OrderLocked", place, orderHash: fields.bytes32("orderHash"), terms };
  },
  OrderAccepted: (fields, place) => {
    const [orderHash, seller] = [fields.bytes32("orderHash"), fields.evmAddress("seller")];
    const sellerPearlKey = fields.bytes32("sellerPearlKey");
    return { kind: "OrderAccepted", place, orderHash, seller, sellerPearlKey };
  },
  OrderCancelled: (fields, place) => ({
    kind: "OrderCancelled",
    place,
    orderHash: fields.bytes32("orderHash"),
  }),
  OrderClaimed: (fields, place) => {
    const [orderHash, secret] = [fields.bytes32("orderHash"), fields.bytes32("secret")];
    const [sellerNet, fee] = [fields.big("sellerNet"), fields.big("fee")];
    return { kind: "OrderClaimed", place, orderHash, secret, sellerNet, fee };
  },
  OrderRefunded: (fields, place) => {
    const [orderHash, amount] = [fields.bytes32("orderHash"), fields.big("amount")];
    return { kind: "OrderRefunded", place, orderHash, amount };
  },
  AsksRevoked: (fields, place) => {
    const [seller, nonceBelow] = [fields.evmAddress("seller"), fields.big("nonceBelow")];
    return { kind: "AsksRevoked", place, seller, nonceBelow };
  },
  FeeSet: (fields, place) => {
    const [feeBps, feeRecipient] = [fields.int("feeBps"), fields.evmAddress("feeRecipient")];
    return { kind: "FeeSet", place, feeBps, feeRecipient };
  },
  PayoutCredited: (fields, place) => {
    const [orderHash, account] = [fields.bytes32("orderHash"), fields.evmAddress("account")];
    return { kind: "PayoutCredited", place, orderHash, account, amount: fields.big("amount") };
  },
  CreditWithdrawn: (fields, place) => {
    const [account, to] = [fields.evmAddress("account"), fields.evmAddress("to")];
    return { kind: "CreditWithdrawn", place, account, to, amount: fields.big("amount") };
  },
  FeesWithdrawn: (fields, place) => {
    const [recipient, to] = [fields.evmAddress("recipient"), fields.evmAddress("to")];
    return { kind: "FeesWithdrawn", place, recipient, to, amount: fields.big("amount") };
  },
  Paused: (fields, place) => ({ kind: "Paused", place, account: fields.evmAddress("account") }),
  Unpaused: (fields, place) => ({ kind: "Unpaused", place, account: fields.evmAddress("account") }),
};

const EVENT_KINDS = Object.keys(READERS) as readonly EscrowEvent["kind"][];

/** The event that the fields say. @throws where they say none. */
export function readEvent(fields: FactFields): EscrowEvent {
  return READERS[fields.one("kind", EVENT_KINDS)](fields, evmPlace(fields.inner("place")));
}

function evmPlace(fields: FactFields): EvmPlace {
  return {
    block: fields.int("block"),
    blockHash: fields.bytes32("blockHash"),
    time: fields.int("time"),
    txHash: fields.bytes32("txHash"),
    logIndex: fields.int("logIndex"),
  };
}

/** The terms of an order. @throws where a field is missing or malformed. */
export function readTerms(fields: FactFields): Terms {
  return {
    buyer: fields.evmAddress("buyer"),
    seller: fields.evmAddress("seller"),
    hashlock: fields.bytes32("hashlock"),
    usdcAmount: fields.big("usdcAmount"),
    pearlAmountSat: fields.big("pearlAmountSat"),
    buyerPearlKey: fields.bytes32("buyerPearlKey"),
    sellerPearlKey: fields.bytes32("sellerPearlKey"),
    pearlRefundTime: fields.int("pearlRefundTime"),
    evmRefundTime: fields.int("evmRefundTime"),
    feeBps: fields.int("feeBps"),
    feeRecipient: fields.evmAddress("feeRecipient"),
    askId: fields.bytes32("askId"),
    nonce: fields.big("nonce"),
  };
}
