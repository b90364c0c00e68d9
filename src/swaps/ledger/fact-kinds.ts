// The kinds of stored facts and records: for each the columns of its row, its body as JSON text with exact amounts, and how
// a row is read back. What is stored under one key replaces what was there.

import type { Bytes32, Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type {
  EscrowEvent,
  LockSpend,
  PearlBlockFact,
  PearlPlace,
  PreimageShower,
  Sighting,
} from "../../swap/facts.ts";
import type { AddressRecord, AskRecord, OriginRecord, TakeRecord } from "../../swap/records.ts";
import { readEvent, readTerms } from "./event-fields.ts";
import { type FactFields, FactKind } from "./fact-fields.ts";
import type { ChainCheckpoint, FinalAlarm, ScriptEntry } from "./ports.ts";

const ofEvent = {
  key: eventKey,
  read: readEvent,
  block: ({ place }: EscrowEvent) => ({ chain: "evm", height: place.block }) as const,
};

/** An event of the escrow. */
export const EVENT = new FactKind<EscrowEvent>("event", ofEvent);

/** An event that a second RPC denies (S-07). */
export const DISPUTE = new FactKind<EscrowEvent>("dispute", ofEvent);

/** A final block that was replaced (S-05): of no block, since no reorganisation takes it back. */
export const ALARM = new FactKind<FinalAlarm>("alarm", { key: ({ id }) => id, read: readAlarm });

/** As `EvmLedger.shownEnds`, where it is not null. */
export const SHOWN_ENDS = new FactKind<readonly string[]>("ends", {
  key: () => "shown",
  body: (ends) => ({ ends }),
  read: (fields) => fields.texts("ends"),
});

/** What a PEARL block shows. */
export const BLOCK_FACTS: Readonly<Record<PearlBlockFact["kind"], FactKind<PearlBlockFact>>> = {
  output: ofPearlBlock("output"),
  spend: ofPearlBlock("spend"),
  inputSpend: ofPearlBlock("inputSpend"),
};

/** A sighting; what its transaction spends is stored beside it, once for all its outputs. */
export const SIGHTING = new FactKind<Omit<Sighting, "inputs">>("sighting", {
  key: ({ txid, vout }) => `${txid}:${vout}`,
  body: ({ txid, vout, amountSat, script, coinbase }) => ({ txid, vout, amountSat, script, coinbase }),
  read: readSighting,
});

/** What a transaction with sighted outputs spends. */
export const INPUTS = new FactKind<{ readonly txid: Txid; readonly inputs: readonly Outpoint[] }>("inputs", {
  key: ({ txid }) => txid,
  body: ({ inputs }) => ({ inputs }),
  read: (fields) => ({ txid: fields.keyTxid(), inputs: fields.outpoints("inputs") }),
});

/** A transaction with lock outputs in the mempool as it was told last. */
export const SEEN_LOCK = new FactKind<Txid>("seenlock", {
  key: (txid) => txid,
  body: () => ({}),
  read: (fields) => fields.keyTxid(),
});

/** A spend of a lock output in the mempool as it was told last. */
export const SEEN_SPEND = new FactKind<LockSpend>("seenspend", {
  key: ({ outpoint }) => outpoint,
  read: readSpend,
});

/** A secret with one of the places that showed it. */
export const SECRET = new FactKind<{
  readonly hashlock: Bytes32;
  readonly secret: Bytes32;
  readonly shower: PreimageShower;
}>("secret", {
  key: secretKey,
  read: (fields) => ({
    hashlock: fields.bytes32("hashlock"),
    secret: fields.bytes32("secret"),
    shower: readShower(fields.inner("shower")),
  }),
});

/** A watched script. */
export const SCRIPT = new FactKind<ScriptEntry>("script", {
  key: ({ script }) => script,
  body: ({ readFrom, ...entry }) => ({ ...entry, covered: readFrom !== null, readFrom: readFrom ?? 0 }),
  read: readScript,
});

/** A key that is no point. */
export const BAD_KEY = new FactKind<Bytes32>("badkey", {
  key: (key) => key,
  body: () => ({}),
  read: (fields) => fields.keyBytes32(),
});

/** An ask. */
export const ASK = new FactKind<AskRecord>("ask", { key: ({ askId }) => askId, read: readAsk });

/** A take. */
export const TAKE = new FactKind<TakeRecord>("take", { key: ({ dealHash }) => dealHash, read: readTake });

/** Addresses of an order. */
export const ADDRESSES = new FactKind<AddressRecord>("address", {
  key: ({ orderHash }) => orderHash,
  read: readAddresses,
});

/** The origin of a bid. */
export const ORIGIN = new FactKind<OriginRecord>("origin", {
  key: ({ orderHash }) => orderHash,
  read: readOrigin,
});

/** The tip of a chain as it is stored. */
export type StoredTip =
  | {
      readonly chain: "evm";
      readonly height: number;
      readonly hash: string;
      readonly time: number;
      readonly finalHeight: number;
      /** The newest remembered block that is final; null where none is, or it was stored before this was. */
      readonly final: ChainCheckpoint | null;
    }
  | {
      readonly chain: "pearl";
      readonly height: number;
      readonly hash: string;
      readonly time: number;
      readonly medianTimePast: number;
    };

/** The tip of a chain. */
export const TIP = new FactKind<StoredTip>("tip", { key: ({ chain }) => chain, read: readTip });

/**
 * In the store while a change is visible whose last rows are not told yet. Where it is found at a start, the process
 * died in between: events are missing, and the emptied log says so to everybody.
 */
export const UNTOLD = new FactKind<"rows">("untold", {
  key: () => "rows",
  body: () => ({}),
  read: () => "rows",
});

/** From which PEARL block on blocks are to be read again, one of several notes. */
export interface Reread {
  /** Unique among those that stand. */
  readonly id: string;
  readonly height: number;
}

/**
 * PEARL blocks that were applied, and must be read again: somebody was told that they will be, or a lock transaction was
 * sighted after them. Stored, since after a restart nothing else would say so.
 */
export const REREAD = new FactKind<Reread>("reread", {
  key: ({ id }) => id,
  read: (fields) => ({ id: fields.text("id"), height: fields.int("height") }),
});

/** What tells two events of one chain apart. */
export function eventKey({ place }: Pick<EscrowEvent, "place">): string {
  return `${place.block}:${place.logIndex}`;
}

/** What tells a secret in one of the places that showed it apart from others. */
export function secretKey(fact: { readonly hashlock: Bytes32; readonly shower: PreimageShower }): string {
  return `${fact.hashlock}/${showerKey(fact.shower)}`;
}

/** What tells two places that show a secret apart. */
export function showerKey(shower: PreimageShower): string {
  if (shower.by === "claim") return `claim/${shower.orderHash}/${shower.txHash}`;
  // One spend per script is enough: a thousand outputs that are claimed at once show the same secret.
  return shower.script === null ? `spend/${shower.outpoint}/${shower.txid}` : `spend/${shower.script}`;
}

function ofPearlBlock(kind: PearlBlockFact["kind"]): FactKind<PearlBlockFact> {
  return new FactKind(kind, {
    key: (fact) => (fact.kind === "output" ? `${fact.txid}:${fact.vout}` : fact.outpoint),
    read: (fields) => readBlockFact(kind, fields),
    block: ({ place }) => ({ chain: "pearl", height: place.height }),
  });
}

function readBlockFact(kind: PearlBlockFact["kind"], fields: FactFields): PearlBlockFact {
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
  return kind === "inputSpend" ? { kind, place, outpoint, txid } : { kind, place, ...readSpend(fields) };
}

function readSpend(fields: FactFields): LockSpend {
  return {
    outpoint: fields.outpoint("outpoint"),
    txid: fields.txid("txid"),
    path: fields.one("path", ["claim", "refund", "other"]),
    outputScripts: fields.ifAny("outputScripts", (name) => fields.texts(name) as readonly ScriptHex[]),
  };
}

function readSighting(fields: FactFields): Omit<Sighting, "inputs"> {
  return {
    txid: fields.txid("txid"),
    vout: fields.int("vout"),
    amountSat: fields.big("amountSat"),
    script: fields.script("script"),
    coinbase: fields.flag("coinbase"),
  };
}

function readShower(fields: FactFields): PreimageShower {
  return fields.one("by", ["claim", "spend"]) === "claim"
    ? { by: "claim", orderHash: fields.bytes32("orderHash"), txHash: fields.bytes32("txHash") }
    : {
        by: "spend",
        outpoint: fields.outpoint("outpoint"),
        txid: fields.txid("txid"),
        script: fields.ifAny("script", (name) => fields.script(name)),
      };
}

function readScript(fields: FactFields): ScriptEntry {
  return {
    script: fields.script("script"),
    hashlock: fields.bytes32("hashlock"),
    buyerKey: fields.bytes32("buyerKey"),
    sellerKey: fields.bytes32("sellerKey"),
    pearlRefundTime: fields.int("pearlRefundTime"),
    fromTime: fields.int("fromTime"),
    readFrom: fields.flag("covered") ? (fields.ifAny("readFrom", (name) => fields.int(name)) ?? 0) : null,
    leastAmountSat: fields.ifAny("leastAmountSat", (name) => fields.big(name)) ?? 0n,
    isCapped: fields.ifAny("isCapped", (name) => fields.flag(name)) ?? false,
  };
}

function readAsk(fields: FactFields): AskRecord {
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

function readTake(fields: FactFields): TakeRecord {
  return {
    dealHash: fields.bytes32("dealHash"),
    terms: readTerms(fields.inner("terms")),
    buyerPearlAddress: fields.pearlAddress("buyerPearlAddress"),
    createdAt: fields.int("createdAt"),
    expiresAt: fields.int("expiresAt"),
    isAddressReplaceable: fields.flagIfAny("isAddressReplaceable"),
  };
}

function readAddresses(fields: FactFields): AddressRecord {
  const address = (name: string): AddressRecord["buyerPearlAddress"] => fields.pearlAddress(name);
  return {
    orderHash: fields.bytes32("orderHash"),
    buyerPearlAddress: fields.orNull("buyerPearlAddress", address),
    sellerPearlAddress: fields.orNull("sellerPearlAddress", address),
    isBuyerFromTake: fields.flagIfAny("isBuyerFromTake"),
  };
}

function readOrigin(fields: FactFields): OriginRecord {
  const ref = fields.orNull("ref", (name) => fields.text(name));
  return { orderHash: fields.bytes32("orderHash"), origin: fields.text("origin"), ref };
}

function readTip(fields: FactFields): StoredTip {
  const [height, hash, time] = [fields.int("height"), fields.text("hash"), fields.int("time")];
  const chain = fields.one("chain", ["evm", "pearl"]);
  if (chain === "pearl") return { chain, height, hash, time, medianTimePast: fields.int("medianTimePast") };
  const final = fields.ifAny("final", (name) =>
    fields.orNull(name, () => readCheckpoint(fields.inner(name), chain)),
  );
  return { chain, height, hash, time, finalHeight: fields.int("finalHeight"), final };
}

function readCheckpoint(fields: FactFields, chain: ChainCheckpoint["chain"]): ChainCheckpoint {
  return { chain, height: fields.int("height"), hash: fields.text("hash"), time: fields.int("time") };
}

function readAlarm(fields: FactFields): FinalAlarm {
  return {
    id: fields.text("id"),
    height: fields.int("height"),
    oldHash: fields.text("oldHash"),
    newHash: fields.orNull("newHash", (name) => fields.text(name)),
    forkHeight: fields.int("forkHeight"),
    raisedAt: fields.int("raisedAt"),
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
