// Reads stored facts and records back: the other direction of fact-codec.ts.

import type {
  EscrowEvent,
  EvmPlace,
  PearlBlockFact,
  PearlPlace,
  SecretShower,
  Sighting,
} from "../../swap/facts.ts";
import type { AddressRecord, AskRecord, OriginRecord, TakeRecord } from "../../swap/records.ts";
import type { Terms } from "../../swap/terms.ts";
import type { StoredTip } from "./fact-codec.ts";
import type { FactFields } from "./fact-fields.ts";
import type { FinalAlarm, ScriptEntry } from "./ports.ts";

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
] as const;

/** An event of the escrow. */
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
      return { kind, place, orderHash, terms: terms(fields.inner("terms")) };
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

/** What a PEARL block shows; `kind` is the stored fact's. */
export function readBlockFact(kind: PearlBlockFact["kind"], fields: FactFields): PearlBlockFact {
  const place = pearlPlace(fields.inner("place"));
  const txid = fields.txid("txid");
  if (kind === "output") {
    const [amountSat, script] = [fields.big("amountSat"), fields.script("script")];
    return {
      kind,
      place,
      txid,
      vout: fields.int("vout"),
      amountSat,
      script,
      coinbase: fields.flag("coinbase"),
    };
  }
  const outpoint = fields.outpoint("outpoint");
  if (kind === "inputSpend") return { kind, place, outpoint, txid };
  const path = fields.one("path", ["claim", "refund", "other"]);
  const outputScripts = fields.scriptsIfAny("outputScripts");
  const spend = { kind, place, outpoint, txid, path };
  return outputScripts === null ? spend : { ...spend, outputScripts };
}

/** A sighting, without what its transaction spends. */
export function readSighting(fields: FactFields): Omit<Sighting, "inputs"> {
  return {
    txid: fields.txid("txid"),
    vout: fields.int("vout"),
    amountSat: fields.big("amountSat"),
    script: fields.script("script"),
    coinbase: fields.flag("coinbase"),
  };
}

/** Who showed a secret. */
export function readShower(fields: FactFields): SecretShower {
  return fields.one("by", ["claim", "spend"]) === "claim"
    ? { by: "claim", orderHash: fields.bytes32("orderHash"), txHash: fields.bytes32("txHash") }
    : spendShower(fields);
}

function spendShower(fields: FactFields): SecretShower {
  const shower = { by: "spend", outpoint: fields.outpoint("outpoint"), txid: fields.txid("txid") } as const;
  const script = fields.ifAny("script", (name) => fields.script(name));
  return script === null ? shower : { ...shower, script };
}

/** A watched script. */
export function readScript(fields: FactFields): ScriptEntry {
  return {
    script: fields.script("script"),
    hashlock: fields.bytes32("hashlock"),
    buyerKey: fields.bytes32("buyerKey"),
    sellerKey: fields.bytes32("sellerKey"),
    pearlRefundTime: fields.int("pearlRefundTime"),
    fromTime: fields.int("fromTime"),
    covered: fields.flag("covered"),
    leastAmountSat: fields.ifAny("leastAmountSat", (name) => fields.big(name)) ?? 0n,
    isCapped: fields.ifAny("isCapped", (name) => fields.flag(name)) ?? false,
  };
}

/** An ask. */
export function readAsk(fields: FactFields): AskRecord {
  const text = (name: string): string => fields.text(name);
  const action = (name: string): NonNullable<AskRecord["lastAction"]> => {
    const inner = fields.inner(name);
    return { action: inner.one("action", ["pause", "resume", "cancel"]), deadline: inner.int("deadline") };
  };
  const ask = fields.inner("terms");
  return {
    askId: fields.bytes32("askId"),
    terms: {
      seller: ask.evmAddress("seller"),
      sellerPearlAddress: ask.text("sellerPearlAddress"),
      sellerPearlKey: ask.bytes32("sellerPearlKey"),
      pearlAmountSat: ask.big("pearlAmountSat"),
      usdcAmount: ask.big("usdcAmount"),
      expiry: ask.int("expiry"),
      feeBps: ask.int("feeBps"),
      feeRecipient: ask.evmAddress("feeRecipient"),
      nonce: ask.big("nonce"),
    },
    signature: fields.text("signature"),
    settlementMode: fields.orNull("settlementMode", text),
    sellerPostSource: fields.orNull("sellerPostSource", text),
    pearlKeyProven: fields.flag("pearlKeyProven"),
    createdAt: fields.int("createdAt"),
    updatedAt: fields.int("updatedAt"),
    pausedBySignature: fields.flag("pausedBySignature"),
    cancelledBySignature: fields.flag("cancelledBySignature"),
    lastAction: fields.orNull("lastAction", action),
    signatureValid: fields.flag("signatureValid"),
    funded: fields.flag("funded"),
    pearlBalanceSat: fields.orNull("pearlBalanceSat", (name) => fields.big(name)),
    balanceCheckedAt: fields.orNull("balanceCheckedAt", (name) => fields.int(name)),
  };
}

/** A take. */
export function readTake(fields: FactFields): TakeRecord {
  return {
    dealHash: fields.bytes32("dealHash"),
    terms: terms(fields.inner("terms")),
    buyerPearlAddress: fields.pearlAddress("buyerPearlAddress"),
    createdAt: fields.int("createdAt"),
    expiresAt: fields.int("expiresAt"),
  };
}

/** Addresses of an order. */
export function readAddresses(fields: FactFields): AddressRecord {
  const address = (name: string): AddressRecord["buyerPearlAddress"] => fields.pearlAddress(name);
  return {
    orderHash: fields.bytes32("orderHash"),
    buyerPearlAddress: fields.orNull("buyerPearlAddress", address),
    sellerPearlAddress: fields.orNull("sellerPearlAddress", address),
    isBuyerFromTake: fields.flagIfAny("isBuyerFromTake"),
  };
}

/** The origin of a bid. */
export function readOrigin(fields: FactFields): OriginRecord {
  const ref = fields.orNull("ref", (name) => fields.text(name));
  return { orderHash: fields.bytes32("orderHash"), origin: fields.text("origin"), ref };
}

/** The tip of a chain. */
export function readTip(fields: FactFields): StoredTip {
  const [height, hash, time] = [fields.int("height"), fields.text("hash"), fields.int("time")];
  const chain = fields.one("chain", ["evm", "pearl"]);
  return chain === "evm"
    ? { chain, height, hash, time, finalHeight: fields.int("finalHeight") }
    : { chain, height, hash, time, medianTimePast: fields.int("medianTimePast") };
}

/** A final block that was replaced. */
export function readAlarm(fields: FactFields): FinalAlarm {
  return {
    id: fields.text("id"),
    height: fields.int("height"),
    oldHash: fields.text("oldHash"),
    newHash: fields.orNull("newHash", (name) => fields.text(name)),
    forkHeight: fields.int("forkHeight"),
    raisedAt: fields.int("raisedAt"),
  };
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

function pearlPlace(fields: FactFields): PearlPlace {
  return {
    height: fields.int("height"),
    blockHash: fields.blockHash("blockHash"),
    time: fields.int("time"),
    txIndex: fields.int("txIndex"),
  };
}

function terms(fields: FactFields): Terms {
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
