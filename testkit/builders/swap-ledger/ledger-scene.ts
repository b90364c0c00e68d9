// Tells a ledger what happens, for tests: steps of both chains, and orders by name.

import assert from "node:assert/strict";
import type { Bytes32, ScriptHex } from "../../../src/primitives/brands.ts";
import { elementAt } from "../../../src/primitives/elements.ts";
import { SwapLedger } from "../../../src/swaps/ledger/ledger.ts";
import type { EvmChange, MempoolLocks, PearlChange } from "../../../src/swaps/ledger/ports.ts";
import type { EscrowEvent, HtlcOutput, PearlBlockFact, Sighting } from "../../../src/swap/facts.ts";
import {
  alarmLog,
  bytes32,
  evmAddress,
  evmPlace,
  ledgerParts,
  outpoint,
  pearlPlace,
  pointKey,
  raised,
  secretOf,
  START,
  terms,
  txid,
} from "./ledger-facts.ts";
import { MemorySwapStore } from "../../doubles/memory-swap-store.ts";

/** A ledger on a store, with a clock that the test sets. */
export interface Scene {
  readonly store: MemorySwapStore;
  readonly ledger: SwapLedger;
  readonly alarms: readonly string[];
  now: number;
}

/** A new ledger, on this store. */
export async function scene(store = new MemorySwapStore(), takeMax = 100_000): Promise<Scene> {
  const log = alarmLog();
  const made = { store, alarms: log.alarms, now: START };
  const parts = ledgerParts(log, () => made.now);
  return Object.assign(made, { ledger: await SwapLedger.open({ ...parts, store, takeMax }) });
}

/** A new ledger in which the order `a` is accepted in block 10, not final, and PEARL is at block 100. */
export async function acceptedScene(store = new MemorySwapStore()): Promise<Scene> {
  const made = await scene(store);
  await made.ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)]));
  await made.ledger.applyPearl(pearl(100));
  return made;
}

/** What a step of the EVM chain may do besides. */
interface EvmStep extends Partial<Pick<EvmChange, "tip" | "checkpoints">> {
  readonly rewindTo?: number;
  /** What is final with it, and what is disputed of that. */
  readonly finalHeight?: number;
  readonly disputed?: readonly EscrowEvent[];
  /** What is disputed no longer. */
  readonly undisputed?: readonly EscrowEvent[];
}

/** A step of the EVM chain to this height. */
export function evm(
  height: number,
  events: readonly EscrowEvent[] = [],
  { rewindTo, finalHeight, disputed, undisputed, ...others }: EvmStep = {},
): EvmChange {
  const { blockHash: hash, time } = evmPlace(height);
  const step = {
    events,
    checkpoints: [{ chain: "evm" as const, height, hash, time }],
    tip: { height, hash, time },
  };
  const rewind = rewindTo === undefined ? null : { toHeight: rewindTo, alarm: null };
  if (undisputed !== undefined)
    return { ...step, ...others, rewind, judged: { kind: "resolve", events: undisputed } };
  const judged =
    finalHeight === undefined && disputed === undefined ? null : raised(finalHeight ?? -1, disputed);
  return { ...step, ...others, rewind, judged };
}

/** What a step of the PEARL chain may be besides its facts; `covered`: scripts that are read from the first block on. */
interface PearlStep extends Partial<Omit<PearlChange, "rewindTo" | "tip" | "facts">> {
  readonly rewindTo?: number | null;
  readonly tip?: NonNullable<PearlChange["tip"]>;
  readonly covered?: readonly ScriptHex[];
}

/** A step of the PEARL chain to this height. */
export function pearl(
  height: number,
  facts: readonly PearlBlockFact[] = [],
  { rewindTo = null, tip, ...found }: PearlStep = {},
): PearlChange {
  const { blockHash: hash, time } = pearlPlace(height);
  const checkpoints = [{ chain: "pearl" as const, height, hash, time }];
  const own = { height, hash, time, medianTimePast: time - 1000 };
  return { ...pearlFound(facts, { checkpoints, ...found }), rewindTo, tip: tip ?? own };
}

/** What was found in PEARL blocks without a step of the tip. */
export function pearlFound(
  facts: readonly PearlBlockFact[],
  { covered, ...found }: Omit<PearlStep, "rewindTo" | "tip"> = {},
): PearlChange {
  const reached =
    covered === undefined
      ? null
      : ({ kind: "scripts", scripts: covered, fromTime: 0, fromHeight: 0 } as const);
  const nothing = { sightings: [], secrets: [], checkpoints: [], leftOut: [], reached };
  return { ...nothing, ...found, facts, rewindTo: null, tip: null };
}

/** The order `a`. */
export const ORDER = bytes32("order a");
/** The key that `accepted` gives for `a`. */
export const SELLER_KEY = pointKey("seller key a");

/** OrderLocked of a named order, as a bid. */
export function locked(name: string, block: number): EscrowEvent {
  return {
    kind: "OrderLocked",
    place: evmPlace(block),
    orderHash: bytes32(`order ${name}`),
    terms: terms(name),
  };
}

/** OrderAccepted of a named order. */
export function accepted(name: string, block: number): EscrowEvent {
  const orderHash = bytes32(`order ${name}`);
  const seller = evmAddress(`seller ${name}`);
  const sellerPearlKey = pointKey(`seller key ${name}`);
  return { kind: "OrderAccepted", place: evmPlace(block, 1), orderHash, seller, sellerPearlKey };
}

/** OrderClaimed of a named order. */
export function claimed(name: string, block: number): EscrowEvent {
  const { secret } = secretOf(name);
  const orderHash = bytes32(`order ${name}`);
  return {
    kind: "OrderClaimed",
    place: evmPlace(block, 2),
    orderHash,
    secret,
    sellerNet: 245_000_000n,
    fee: 5_000_000n,
  };
}

/** The lock script of an order that has one. */
export function scriptOf(ledger: SwapLedger, hash: Bytes32): ScriptHex {
  const script = ledger.subject(hash)?.script;
  assert.ok(script);
  return script;
}

/** The outputs of the order `a`. */
export function outputsOfOrder(ledger: Pick<SwapLedger, "subject">): readonly HtlcOutput[] {
  return [...(ledger.subject(ORDER)?.outputs ?? [])];
}

/** Its one output. */
export function outputOfOrder({ ledger }: Pick<Scene, "ledger">): HtlcOutput {
  const outputs = outputsOfOrder(ledger);
  assert.equal(outputs.length, 1);
  return elementAt(outputs, 0);
}

/** A sighting of an output that is large enough. */
export function lockSighting(script: ScriptHex, name = "lock"): Sighting {
  const inputs = [outpoint("coins", 0)];
  return { txid: txid(name), vout: 0, amountSat: 500_000_000_000n, script, coinbase: false, inputs };
}

/** The same output in a block. */
export function minedLock(lock: Sighting, height: number): PearlBlockFact {
  const { inputs: _, ...output } = lock;
  return { kind: "output", place: pearlPlace(height), ...output };
}

/** An empty mempool. */
export const NO_LOCKS: MempoolLocks = { present: new Set(), spends: new Map() };

/** Types and statuses of the events so far. */
export function statuses(store: MemorySwapStore): readonly string[] {
  return store.events.map(({ type, data }) => {
    const { row }: { row: { status?: string } } = JSON.parse(data);
    return `${type} ${row.status ?? ""}`.trim();
  });
}
