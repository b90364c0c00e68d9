// How an event of the escrow is read back from its stored text.

import type { EscrowEvent, EvmPlace } from "../../swap/facts.ts";
import type { Terms } from "../../swap/terms.ts";
import type { FactFields } from "./fact-fields.ts";

const EVENT_KINDS = [
  "OrderLocked",
  "OrderAccepted",
  "OrderCancelled",
  "OrderClaimed",
  "OrderRefunded",
  "AsksRevoked",
  "FeeSet",
  "PayoutCredited",
  "CreditWithdrawn",
  "FeesWithdrawn",
  "Paused",
  "Unpaused",
] as const;

/** The event that the fields say. @throws where they say none. */
export function readEvent(fields: FactFields): EscrowEvent {
  const kind = fields.one("kind", EVENT_KINDS);
  const place = evmPlace(fields.inner("place"));
  switch (kind) {
    case "AsksRevoked":
      return { kind, place, seller: fields.evmAddress("seller"), nonceBelow: fields.big("nonceBelow") };
    case "FeeSet":
      return { kind, place, feeBps: fields.int("feeBps"), feeRecipient: fields.evmAddress("feeRecipient") };
    case "CreditWithdrawn": {
      const [account, to] = [fields.evmAddress("account"), fields.evmAddress("to")];
      return { kind, place, account, to, amount: fields.big("amount") };
    }
    case "FeesWithdrawn": {
      const [recipient, to] = [fields.evmAddress("recipient"), fields.evmAddress("to")];
      return { kind, place, recipient, to, amount: fields.big("amount") };
    }
    case "Paused":
    case "Unpaused":
      return { kind, place, account: fields.evmAddress("account") };
    default:
      return orderEvent(kind, place, fields);
  }
}

function orderEvent(
  kind: Extract<EscrowEvent, { orderHash: unknown }>["kind"],
  place: EvmPlace,
  fields: FactFields,
): EscrowEvent {
  const orderHash = fields.bytes32("orderHash");
  switch (kind) {
    case "OrderLocked":
      return { kind, place, orderHash, terms: readTerms(fields.inner("terms")) };
    case "OrderAccepted": {
      const seller = fields.evmAddress("seller");
      return { kind, place, orderHash, seller, sellerPearlKey: fields.bytes32("sellerPearlKey") };
    }
    case "OrderCancelled":
      return { kind, place, orderHash };
    case "OrderClaimed": {
      const [sellerNet, fee] = [fields.big("sellerNet"), fields.big("fee")];
      return { kind, place, orderHash, secret: fields.bytes32("secret"), sellerNet, fee };
    }
    case "OrderRefunded":
      return { kind, place, orderHash, amount: fields.big("amount") };
    default:
      return { kind, place, orderHash, account: fields.evmAddress("account"), amount: fields.big("amount") };
  }
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
