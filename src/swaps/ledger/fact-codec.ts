// Stored form of facts and records: JSON text with exact amounts, under a key that is unique within its kind.

import type { Bytes32, Outpoint, Txid } from "../../primitives/brands.ts";
import type { EscrowEvent, PearlBlockFact, SecretShower, Sighting } from "../../swap/facts.ts";
import type { AddressRecord, AskRecord, OriginRecord, TakeRecord } from "../../swap/records.ts";
import type { FinalAlarm, ScriptEntry, StoredFact } from "./ports.ts";

/** The tip of a chain as it is stored. */
export type StoredTip =
  | {
      readonly chain: "evm";
      readonly height: number;
      readonly hash: string;
      readonly time: number;
      readonly finalHeight: number;
    }
  | {
      readonly chain: "pearl";
      readonly height: number;
      readonly hash: string;
      readonly time: number;
      readonly medianTimePast: number;
    };

/** What tells two events of one chain apart. */
export function eventKey({ place }: EscrowEvent): string {
  return `${place.block}:${place.logIndex}`;
}

/** An event of the escrow. */
export function eventFact(event: EscrowEvent): StoredFact {
  return {
    kind: "event",
    key: eventKey(event),
    chain: "evm",
    height: event.place.block,
    body: bodyOf(event),
  };
}

/** An event that a second RPC denies (S-07). */
export function disputeFact(event: EscrowEvent): StoredFact {
  return { ...eventFact(event), kind: "dispute" };
}

/** A final block that was replaced (S-05): of no block, since no reorganisation takes it back. */
export function alarmFact(alarm: FinalAlarm): StoredFact {
  return record("alarm", alarm.id, alarm);
}

/** What a PEARL block shows; its kind is the fact's. */
export function blockFact(fact: PearlBlockFact): StoredFact {
  const key = fact.kind === "output" ? `${fact.txid}:${fact.vout}` : fact.outpoint;
  return { kind: fact.kind, key, chain: "pearl", height: fact.place.height, body: bodyOf(fact) };
}

/** A sighting; what its transaction spends is stored beside it, once for all its outputs. */
export function sightingFact(sighting: Omit<Sighting, "inputs">): StoredFact {
  const { txid, vout, amountSat, script, coinbase } = sighting;
  return record("sighting", `${txid}:${vout}`, { txid, vout, amountSat, script, coinbase });
}

/** What a transaction with sighted outputs spends. */
export function inputsFact(txid: Txid, inputs: readonly Outpoint[]): StoredFact {
  return record("inputs", txid, { inputs });
}

/** A secret with one of the places that showed it. */
export function secretFact(hashlock: Bytes32, secret: Bytes32, shower: SecretShower): StoredFact {
  return record("secret", `${hashlock}/${showerKey(shower)}`, { hashlock, secret, shower });
}

/** What tells two places that show a secret apart. */
export function showerKey(shower: SecretShower): string {
  if (shower.by === "claim") return `claim/${shower.orderHash}/${shower.txHash}`;
  // One spend per script is enough: a thousand outputs that are claimed at once show the same secret.
  return shower.script === undefined ? `spend/${shower.outpoint}/${shower.txid}` : `spend/${shower.script}`;
}

/** A watched script. */
export function scriptFact(entry: ScriptEntry): StoredFact {
  return record("script", entry.script, entry);
}

/** A key that is no point. */
export function badKeyFact(key: Bytes32): StoredFact {
  return record("badkey", key, {});
}

/** An ask. */
export function askFact(ask: AskRecord): StoredFact {
  return record("ask", ask.askId, ask);
}

/** A take. */
export function takeFact(take: TakeRecord): StoredFact {
  return record("take", take.dealHash, take);
}

/** Addresses of an order. */
export function addressFact(addresses: AddressRecord): StoredFact {
  return record("address", addresses.orderHash, addresses);
}

/** The origin of a bid. */
export function originFact(origin: OriginRecord): StoredFact {
  return record("origin", origin.orderHash, origin);
}

/** The tip of a chain. */
export function tipFact(tip: StoredTip): StoredFact {
  return record("tip", tip.chain, tip);
}

function record(kind: string, key: string, value: object): StoredFact {
  return { kind, key, chain: null, height: null, body: bodyOf(value) };
}

function bodyOf(value: object): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner));
}
