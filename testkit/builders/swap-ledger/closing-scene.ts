// Tells a ledger the story of a deal that is over, for tests of what leaves memory and of what brings it back.

import {
  alarmLog,
  bytes32,
  evmPlace,
  ledgerParts,
  outpoint,
  pearlPlace,
  START,
  terms,
  txid,
} from "./ledger-facts.ts";
import {
  accepted,
  claimed,
  evm,
  locked,
  lockSighting,
  minedLock,
  ORDER,
  pearl,
  scriptOf,
} from "./ledger-scene.ts";
import { MemorySwapStore } from "../../doubles/memory-swap-store.ts";
import type { Bytes32 } from "../../../src/primitives/brands.ts";
import type { EscrowEvent, PearlBlockFact } from "../../../src/swap/facts.ts";
import { SwapLedger } from "../../../src/swaps/ledger/ledger.ts";

/** How long what somebody has named stays, milliseconds. */
export const HELD_MS = 600_000;
/** 3,600 s after the claim by both chains, and 20 PEARL blocks beyond a depth of 13. */
const BOUNDS = { afterS: 3_600, pearlBlocks: 20, heldMs: HELD_MS };
/** The PEARL block that spends the lock, and the first tip at which that is old enough. */
export const SPENT_AT = 110;
export const LEAST_PEARL = SPENT_AT + 13 + 20;
/** The block of the claim, and the first one that is 3,600 s younger. */
export const CLAIMED_AT = 4;
export const LEAST_EVM = CLAIMED_AT + 300;

/** The claim of a lock. */
export function spendAt(height: number): PearlBlockFact {
  const spend = { outpoint: outpoint("lock", 0), txid: txid("claim of lock"), path: "claim" } as const;
  return { kind: "spend", place: pearlPlace(height), ...spend, outputScripts: [] };
}

/** What is otherwise than in a story whose end is old enough. */
export interface Story {
  readonly evmTo?: number;
  readonly finalHeight?: number;
  readonly pearlTo?: number;
  readonly closing?: readonly EscrowEvent[];
  readonly later?: readonly EscrowEvent[];
  readonly spend?: readonly PearlBlockFact[];
  readonly isUncovered?: boolean;
}

/** Order `a`, locked, accepted, paid and over. */
export async function ended(story: Story = {}) {
  const { evmTo = LEAST_EVM, finalHeight = evmTo, pearlTo = LEAST_PEARL } = story;
  const { closing = [claimed("a", CLAIMED_AT)], later = [], spend = [spendAt(SPENT_AT)] } = story;
  const store = new MemorySwapStore();
  const time = { nowMs: 0 };
  const parts = ledgerParts(alarmLog(), () => START);
  const clock = { ...parts.clock, monotonicMs: () => time.nowMs };
  const ledger = await SwapLedger.open({ ...parts, clock, store, closing: BOUNDS });
  await ledger.applyEvm(evm(2, [locked("a", 2)]));
  await ledger.applyEvm(evm(3, [accepted("a", 3)]));
  const script = scriptOf(ledger, ORDER);
  const lock = lockSighting(script);
  const covered = story.isUncovered === true ? [] : [script];
  await ledger.applyPearl(pearl(100, [minedLock(lock, 100)], { sightings: [lock], covered }));
  await ledger.applyEvm(evm(CLAIMED_AT, closing));
  await ledger.applyPearl(pearl(SPENT_AT, spend));
  await ledger.applyEvm(evm(evmTo, later, { finalHeight }));
  await ledger.applyPearl(pearl(pearlTo));
  return { ledger, store, script, lock, time };
}

/** An order that carries this ask (zeros: none) and was cancelled. */
export function cancelledOrder(name: string, askId: Bytes32): readonly EscrowEvent[] {
  const orderHash = bytes32(`order ${name}`);
  return [
    { kind: "OrderLocked", place: evmPlace(5), orderHash, terms: terms(name, { askId }) },
    { kind: "OrderCancelled", place: evmPlace(6), orderHash },
  ];
}

/** Whether the order leaves memory now. */
export async function closes(made: Awaited<ReturnType<typeof ended>>): Promise<boolean> {
  while (await made.ledger.close());
  return made.ledger.subject(ORDER) === null;
}
