// Makes the rows that the operation endpoints must show: the reference's rows with their blocks, and for an address the
// direction, read from a naive ledger of units (balance + locked) before and after each operation (H-36, H-38).

import { Transaction } from "bitcoinjs-lib";
import { readOperation } from "../prc20/envelope.ts";
import type { OperationRow, ReferenceParams } from "../prc20/index.ts";
import { parseAddress, parseTick } from "../prc20/values.ts";
import { blockAt, tipOf, type Truth } from "./truth.ts";
import { compareText, type JsonRow } from "../../rows.ts";

/** A row of oplist, op/{txid} and the events, as of the truth's tip. */
export function operationRow(truth: Truth, row: OperationRow): JsonRow {
  const block = blockAt(truth, row.height);
  return {
    block_height: row.height,
    txid: row.txid,
    vout: row.vout,
    op: row.op,
    tick: row.tick,
    valid: row.valid,
    reason: row.reason,
    payload_json: row.payload_json,
    tx_index: row.tx_index,
    block_hash: block.hash,
    time: block.time,
    from: row.from,
    to: row.to,
    amount: row.amount,
    listing_id: row.listing_id,
    confirmations: tipOf(truth).height - row.height + 1,
  };
}

/** Filters of oplist; absent = any. */
export interface OperationFilters {
  readonly tick?: string;
  readonly op?: string;
  readonly valid?: "0" | "1";
  readonly address?: string;
  readonly height?: number;
}

/** oplist. */
export function oplist(truth: Truth, filters: OperationFilters = {}): JsonRow[] {
  return matching(truth, filters).map((row) => operationRow(truth, row));
}

/** address/{address}/history. */
export function addressHistory(truth: Truth, address: string, tick?: string): JsonRow[] {
  const ledger = new UnitLedger(truth);
  return matching(truth, tick === undefined ? { address } : { address, tick }).map((row) => ({
    ...operationRow(truth, row),
    direction: ledger.direction(row, address),
  }));
}

/** op/{txid} and op/{txid}/{vout}. */
export function operationsOf(truth: Truth, txid: string, vout?: number): JsonRow[] {
  return truth.snapshot.operations
    .filter((row) => row.txid === txid && (vout === undefined || row.vout === vout))
    .map((row) => operationRow(truth, row));
}

function matching(truth: Truth, { tick, op, valid, address, height }: OperationFilters): OperationRow[] {
  return truth.snapshot.operations
    .filter((row) => tick === undefined || row.tick === tick)
    .filter((row) => op === undefined || row.op === op)
    .filter((row) => valid === undefined || String(row.valid) === valid)
    .filter((row) => address === undefined || concerns(truth, row, address))
    .filter((row) => height === undefined || row.height === height)
    .toReversed();
}

/** H-36: whether the operation is in the history of the address. */
export function concerns(truth: Truth, row: OperationRow, address: string): boolean {
  if (row.from === address) return true;
  if (row.valid === 0) return false;
  if (row.op === "deploy") return row.amount !== null && row.to === address;
  if (row.op === "mint" || row.op === "transfer") return row.to === address;
  return row.op === "send" && (row.to === address || ownerOf(truth, row.listing_id) === address);
}

function ownerOf(truth: Truth, listingId: string | null): string | undefined {
  return truth.snapshot.listings.find((listing) => listing.id === listingId)?.owner;
}

/** Units of everybody, before and after each operation. */
export class UnitLedger {
  /** At the end: "address tick" -> units. */
  readonly units = new Map<string, bigint>();
  readonly #changes = new Map<OperationRow, Map<string, { before: bigint; after: bigint }>>();

  constructor(truth: Truth) {
    for (const row of truth.snapshot.operations) {
      if (row.valid === 0) continue;
      const amount = BigInt(row.amount ?? "0");
      if (["transfer", "burn"].includes(row.op)) this.#move(row, row.from, -amount);
      if (row.op === "send") this.#move(row, ownerOf(truth, row.listing_id) ?? "", -amount);
      if (["deploy", "mint", "transfer", "send"].includes(row.op)) this.#move(row, row.to ?? "", amount);
    }
  }

  direction(row: OperationRow, address: string): "in" | "out" | "self" {
    if (row.valid === 1 && row.op === "list" && row.from === address) return "out";
    const change = this.#changes.get(row)?.get(address);
    if (change === undefined || change.after === change.before) return "self";
    return change.after > change.before ? "in" : "out";
  }

  #move(row: OperationRow, address: string, by: bigint): void {
    const key = `${address} ${row.tick}`;
    const before = this.units.get(key) ?? 0n;
    const after = before + by;
    this.units.set(key, after);
    const ofRow = this.#changes.get(row) ?? new Map<string, { before: bigint; after: bigint }>();
    ofRow.set(address, { before: ofRow.get(address)?.before ?? before, after });
    this.#changes.set(row, ofRow);
  }
}

/** mempool: the operations of these unconfirmed transactions, as far as the payload tells. */
export function mempool(params: ReferenceParams, raws: readonly Uint8Array[]): JsonRow[] {
  const rows = raws.flatMap((raw) => {
    const transaction = Transaction.fromBuffer(raw);
    return transaction.ins.flatMap((input, vout) => {
      const read = readOperation(input.witness, params.marker ?? "prc-20", params.hrp);
      if (read === null) return [];
      const told = toldBy(read.op, read.fields, read.sender, params.hrp);
      const { op, payload, sender } = read;
      return [{ txid: transaction.getId(), vout, op, payload_json: payload, from: sender, ...told }];
    });
  });
  const unknown = [
    "block_height",
    "block_hash",
    "time",
    "tx_index",
    "valid",
    "reason",
    "amount",
    "confirmations",
  ];
  const nulls = Object.fromEntries(unknown.map((name) => [name, null]));
  return rows
    .toSorted((a, b) => compareText(a.txid, b.txid) || a.vout - b.vout)
    .map((row) => ({ ...row, ...nulls }));
}

function toldBy(op: string, fields: Record<string, unknown>, sender: string, hrp: string): JsonRow {
  const text = (name: string): string | undefined => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return typeof value === "string" ? value : undefined;
  };
  const addressIn = (name: string): string | null => {
    // A field of another type names nobody; an absent one means the sender.
    if (Object.hasOwn(fields, name)) return parseAddress(text(name), hrp);
    return op === "transfer" ? null : sender;
  };
  const hasTick = ["deploy", "mint", "transfer", "burn", "list"].includes(op);
  const recipients: Record<string, string> = {
    deploy: "to",
    mint: "to",
    transfer: "to",
    send: "to",
    list: "seller",
  };
  const recipient = Object.hasOwn(recipients, op) ? recipients[op] : undefined;
  const id = op === "send" ? text("id") : undefined;
  return {
    tick: hasTick ? (parseTick(text("tick")) ?? "") : "",
    to: recipient === undefined ? null : addressIn(recipient),
    listing_id: id !== undefined && /^list:[0-9a-f]{64}:(0|[1-9][0-9]{0,9})$/.test(id) ? id : null,
  };
}
