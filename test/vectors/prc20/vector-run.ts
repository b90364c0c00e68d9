// Runs a vector through the very steps of the follower: read, declare, load, declare, load, verify, judge.

import assert from "node:assert/strict";
import { schnorr } from "@noble/curves/secp256k1.js";
import type { ScannedBlock } from "../../../src/chain/block-shapes.ts";
import type { Hex32, ListingId, Tick } from "../../../src/primitives/brands.ts";
import { checkConservation } from "../../../src/prc20/conservation.ts";
import { listingSignatureJobs } from "../../../src/prc20/listing-signatures.ts";
import type { MemoryState } from "../../../testkit/builders/core-index/memory-state.ts";
import { readBlock } from "../../../src/prc20/read-block.ts";
import type { ProtocolRules } from "../../../src/prc20/rules.ts";
import type { BlockChanges, ListingRow } from "../../../src/prc20/state.ts";
import { firstKeys, secondKeys } from "../../../src/prc20/state-keys.ts";
import { LoadedView } from "../../../src/prc20/state-view.ts";
import { applyBlock } from "../../../src/prc20/transition.ts";
import { simnetAddress, nameHash, resolveNames, type VectorBlock } from "./vector-chain.ts";
import { toHex, sha256 } from "../../../testkit/bytes.ts";
import { fieldOf } from "../../../testkit/field-of.ts";

/** A vector: blocks above a base, and the state at the end. One block may be given without `blocks`. */
export interface ChainVector extends Partial<VectorBlock> {
  readonly name: string;
  readonly rules: readonly string[];
  /** Name of a preset. */
  readonly base: string;
  readonly feeBps?: number;
  readonly blocks?: readonly VectorBlock[];
  readonly state?: ExpectedState;
}

type Fields = Readonly<Record<string, string>>;

/** What must be true at the end; token, listing and row fields that are not named are not compared. */
export interface ExpectedState {
  readonly tokens?: Readonly<Record<string, Fields>>;
  /** "<address> <tick>" -> "<balance> <locked>"; all balances there are. */
  readonly balances?: Fields;
  readonly listings?: Readonly<Record<string, Fields>>;
  /** The rows of the last block. */
  readonly rows?: readonly Fields[];
  readonly totals?: Fields;
}

/** Reads, loads in two rounds, verifies and judges one block above a state, without applying it. */
export function judgeBlock(block: ScannedBlock, state: MemoryState, rules: ProtocolRules): BlockChanges {
  const reading = readBlock(block, rules, simnetAddress);
  const view = new LoadedView();
  const first = firstKeys(reading);
  view.add(first, state.load(first));
  const second = secondKeys(reading, view);
  view.add(second, state.load(second));
  const checks = listingSignatureJobs(reading, rules, sha256);
  const signatures = checks.answered(
    checks.jobs.map(({ key, message, signature }) => isSigned(key, message, signature)),
  );
  const changes = applyBlock({ block, reading, rules, view, signatures, previous: state.tip, sha256 });
  assert.deepEqual(checkConservation(changes), []);
  return changes;
}

/** Verdicts by key, message and signature: the vectors begin with the same blocks. */
const verdicts = new Map<string, boolean>();

function isSigned(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const name = [key, message, signature].map((bytes) => toHex(bytes)).join(" ");
  const verdict = verdicts.get(name) ?? schnorr.verify(signature, message, key);
  verdicts.set(name, verdict);
  return verdict;
}

/** Compares the end of a vector's chain with what it expects. */
export function assertState(expected: ExpectedState, state: MemoryState, last: BlockChanges): void {
  for (const [tick, fields] of Object.entries(expected.tokens ?? {})) {
    assertFields(tick, state.token(tick as Tick), fields);
  }
  if (expected.tokens !== undefined && Object.keys(expected.tokens).length === 0) {
    assert.deepEqual(state.rows().tokens, []);
  }
  if (expected.balances !== undefined) assert.deepEqual(balancesOf(state), resolved(expected.balances));
  for (const [name, fields] of Object.entries(expected.listings ?? {})) {
    const listing = state.listing(resolveNames(name) as ListingId);
    assertFields(name, listing === null ? null : flatListing(listing), fields);
  }
  for (const [index, fields] of (expected.rows ?? []).entries()) {
    assertFields(`row ${index}`, last.operations[index] ?? null, fields);
  }
  if (expected.totals !== undefined) assertFields("totals", last.totals, expected.totals);
}

function balancesOf(state: MemoryState): Record<string, string> {
  const rows = state
    .rows()
    .balances.map((row) => [`${row.address} ${row.tick}`, `${row.balance} ${row.locked}`]);
  return Object.fromEntries(rows);
}

function resolved(fields: Fields): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [resolveNames(key), value]));
}

/** A listing and its end in one level: `state`, `closeTxid`, `closeHeight`, `inputIndex`, `place`, `buyer`. */
function flatListing(row: ListingRow): Record<string, unknown> {
  const { close } = row;
  if (close === null) return { ...row, state: "open" };
  const { kind, txid, height, inputIndex, place, buyer } = close;
  return { ...row, state: kind, closeTxid: txid, closeHeight: height, inputIndex, place, buyer };
}

function assertFields(what: string, row: object | null, fields: Fields): void {
  assert.notEqual(row, null, `${what} does not exist`);
  for (const [name, value] of Object.entries(fields)) {
    const expected = name === "closeTxid" ? nameHash(value) : resolveNames(value);
    assert.equal(String(fieldOf(row, name)), expected, `${what}: ${name}`);
  }
}

/** D(start - 1) as the state's base. */
export function hex32(digest: string): Hex32 {
  return digest as Hex32;
}
