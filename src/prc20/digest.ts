// The digest chain of P-80 and P-81, by which two operators compare their whole history with one value. Each block has
// one preimage buffer, which is filled while the block is read and hashed once at the end.

import type { BlockHash, Hex32, Txid } from "../primitives/brands.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import { bytesToHex, writeHex } from "../primitives/hex.ts";
import type { ProtocolRules } from "./rules.ts";
import type { CloseKind, ListingRow, OperationRow } from "./state.ts";

const FIRST_CAPACITY = 4096;

/**
 * D(start - 1) of P-80: names the parameters that are consensus (P-01), so that indexes that differ in one of them
 * differ in every digest.
 */
export function initialDigest(rules: ProtocolRules, sha256: Sha256): Hex32 {
  const preimage = new Preimage(256);
  preimage.text("prc20-digest/1");
  preimage.hash(rules.genesisHash);
  preimage.text(rules.marker);
  preimage.text(rules.startHeight.toString());
  preimage.text(rules.feeBps.toString());
  preimage.text(rules.feeAddress ?? "");
  return bytesToHex(sha256(preimage.bytes())) as Hex32;
}

/** The effects of one block in order (P-81), and at the end its digest. */
export class BlockDigest {
  readonly #preimage = new Preimage(FIRST_CAPACITY);

  /** `previous` is D(h-1), `hash` the block's hash in display order. */
  constructor(previous: Hex32, hash: BlockHash) {
    this.#preimage.rawHash(previous);
    this.#preimage.rawHash(hash);
  }

  /** A recorded operation, valid or not. */
  operation(row: OperationRow): void {
    const preimage = this.#preimage;
    preimage.text("op");
    preimage.hash(row.txid);
    preimage.text(row.vout.toString());
    preimage.text(row.valid ? "1" : "0");
    preimage.text(row.reason ?? "");
    preimage.text(row.op);
    preimage.text(row.tick);
    preimage.text(row.amount === null ? "" : row.amount.toString());
    preimage.text(row.from);
    preimage.text(row.to ?? "");
  }

  /** The closing of a listing other than by a valid send. */
  closing(txid: Txid, inputIndex: number, listing: ListingRow, kind: Exclude<CloseKind, "filled">): void {
    const preimage = this.#preimage;
    preimage.text("close");
    preimage.hash(txid);
    preimage.text(inputIndex.toString());
    preimage.text(listing.id);
    preimage.text(kind);
    preimage.text(listing.amount.toString());
    preimage.text(listing.owner);
  }

  /** A balance after the effect before it. */
  balance(cell: {
    readonly address: string;
    readonly tick: string;
    readonly balance: bigint;
    readonly locked: bigint;
  }): void {
    const preimage = this.#preimage;
    preimage.text("balance");
    preimage.text(cell.address);
    preimage.text(cell.tick);
    preimage.text(cell.balance.toString());
    preimage.text(cell.locked.toString());
  }

  /** D(h), hex. */
  finish(sha256: Sha256): Hex32 {
    return bytesToHex(sha256(this.#preimage.bytes())) as Hex32;
  }
}

/** A growing byte buffer of length-prefixed fields. */
class Preimage {
  #buffer: Uint8Array;
  #length = 0;

  constructor(capacity: number) {
    this.#buffer = new Uint8Array(capacity);
  }

  /** LP(text). Everything that P-80 and P-81 name is ASCII; other text is a bug, not a second encoding. */
  text(text: string): void {
    const size = text.length;
    this.#reserve(size + 4);
    const buffer = this.#buffer;
    let at = this.#prefix(size);
    for (let i = 0; i < size; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) throw new Error(`digest field is not ASCII: ${text}`);
      buffer[at++] = code;
    }
    this.#length = at;
  }

  /** LP(32 bytes given as hex). */
  hash(hex: string): void {
    this.#reserve(36);
    this.#length = this.#prefix(32);
    this.rawHash(hex);
  }

  /** 32 bytes given as hex, without a length. */
  rawHash(hex: string): void {
    if (hex.length !== 64) throw new Error(`not 32 bytes of hex: ${hex}`);
    this.#reserve(32);
    writeHex(hex, this.#buffer, this.#length);
    this.#length += 32;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Writes a 4-byte big-endian length; returns the offset behind it. */
  #prefix(size: number): number {
    const buffer = this.#buffer;
    const length = this.#length;
    buffer[length] = size >>> 24;
    buffer[length + 1] = size >>> 16;
    buffer[length + 2] = size >>> 8;
    buffer[length + 3] = size;
    return length + 4;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
    grown.set(this.#buffer);
    this.#buffer = grown;
  }
}
