// Reads from a block its recorded operations (P-14) with their fields, and its spends of possible anchors, in the order
// of P-10. It needs no state and decides nothing, so it can run ahead of the pass.

import type { InterestingInput, ScannedBlock, TransactionView } from "../chain/block-shapes.ts";
import type { Outpoint, PearlAddress } from "../primitives/brands.ts";
import type { Operation } from "./operation.ts";
import { readOperation } from "./operations/registry.ts";
import { readPayload } from "./payload.ts";
import type { ProtocolRules } from "./rules.ts";

/** An operation that gets a row, valid or not (P-14). */
export interface RecordedOperation {
  /** As inscribed. */
  readonly op: string;
  /** The body exactly as inscribed. */
  readonly text: string;
  readonly sender: PearlAddress;
  /** Null: the op is unknown (P-24). */
  readonly operation: Operation | null;
}

/** An input that may change something: an operation, a spend of a possible anchor, or both. */
export interface ReadInput {
  readonly index: number;
  /** The spent outpoint where it may be an open listing's anchor, else null. */
  readonly spends: Outpoint | null;
  readonly recorded: RecordedOperation | null;
}

/** A transaction with at least one such input, ascending by index. */
export interface ReadTransaction {
  readonly view: TransactionView;
  readonly inputs: readonly ReadInput[];
}

/** A block as read; transactions in block order. */
export interface BlockReading {
  readonly height: number;
  readonly transactions: readonly ReadTransaction[];
}

/** The address of an output key, 64 hex digits (P-15); callers may remember answers. */
export type AddressOf = (keyHex: string) => PearlAddress;

/** Reads a block's operations and flagged spends. */
export function readBlock(block: ScannedBlock, rules: ProtocolRules, addressOf: AddressOf): BlockReading {
  const transactions: ReadTransaction[] = [];
  for (const view of block.transactions) {
    const read = readTransaction(view, rules, addressOf);
    if (read !== null) transactions.push(read);
  }
  return { height: block.height, transactions };
}

/** Reads one transaction, confirmed or not; null where it has neither an operation nor a flagged spend. */
export function readTransaction(
  view: TransactionView,
  rules: ProtocolRules,
  addressOf: AddressOf,
): ReadTransaction | null {
  const inputs: ReadInput[] = [];
  for (const input of view.interesting) {
    const recorded = readRecorded(input, rules, addressOf);
    const spends = input.mayCloseListing ? view.outpoint(input.index) : null;
    if (recorded !== null || spends !== null) inputs.push({ index: input.index, spends, recorded });
  }
  return inputs.length === 0 ? null : { view, inputs };
}

function readRecorded(
  input: InterestingInput,
  rules: ProtocolRules,
  addressOf: AddressOf,
): RecordedOperation | null {
  const { envelope, annex } = input;
  if (envelope === null) return null;
  const payload = readPayload(envelope.body, rules.marker);
  if (payload === null) return null;
  const { keyHex } = envelope;
  const sender = addressOf(keyHex);
  const source = { fields: payload.fields, sender, keyHex, annex, hrp: rules.hrp };
  const operation = readOperation(payload.op, source);
  return { op: payload.op, text: payload.text, sender, operation };
}
