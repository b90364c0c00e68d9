// Tells whether an outpoint may be an open listing's anchor: a compact set of 32-bit fingerprints that answers for
// every input of every block. It gives no false negatives, and about one false positive per 2^32 / size questions.

import type { Outpoint } from "../primitives/brands.ts";
import { readUint32 } from "../primitives/bytes.ts";
import type { AnchorProbe } from "./block-shapes.ts";

/** Knows of no anchor: for whoever reads bytes without looking for listings. */
export const NO_ANCHORS: AnchorProbe = { mayBeAnchor: () => false };

const SMALLEST_CAPACITY = 64;

/** Mixes three words so that every bit depends on each of them (the constants are odd and have no structure). */
function fingerprint(first: number, second: number, vout: number, seed: number): number {
  let mixed = Math.imul(first ^ seed, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15) ^ second, 0x85ebca77);
  mixed = Math.imul(mixed ^ (mixed >>> 13) ^ vout, 0xc2b2ae3d);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x27d4eb2f);
  mixed = (mixed ^ (mixed >>> 15)) >>> 0;
  // Zero marks a free slot.
  return mixed === 0 ? 1 : mixed;
}

/**
 * The little-endian uint32 at the wire bytes whose display text starts at `at`: both orders are reversed, so it reads
 * off.
 */
function wordOfDisplayHex(txid: string, at: number): number {
  return Number.parseInt(txid.slice(at, at + 8), 16);
}

/**
 * A multi-set of outpoints, 8 bytes per slot, at most half full. What was added n times is gone after n deletes.
 * `seed`: any uint32; a random one keeps makers of transactions from choosing txids that collide here.
 */
export class AnchorFilter implements AnchorProbe {
  readonly #seed: number;
  #mask = SMALLEST_CAPACITY - 1;
  #prints = new Uint32Array(SMALLEST_CAPACITY);
  #counts = new Uint32Array(SMALLEST_CAPACITY);
  #used = 0;
  #size = 0;

  constructor(seed = 0) {
    this.#seed = seed | 0;
  }

  /** How many outpoints were added and not deleted. */
  get size(): number {
    return this.#size;
  }

  /** Adds an outpoint once more. */
  add(outpoint: Outpoint): void {
    this.#insert(this.#printOf(outpoint), 1);
    this.#size += 1;
  }

  /** Adds output `vout` of a txid in wire order. */
  addWire(txid: Uint8Array, vout: number): void {
    this.#insert(fingerprint(readUint32(txid, 0), readUint32(txid, 4), vout, this.#seed), 1);
    this.#size += 1;
  }

  /** Takes one addition of the outpoint back. Only what was added may be deleted; else nothing happens. */
  delete(outpoint: Outpoint): void {
    const slot = this.#find(this.#printOf(outpoint));
    if (this.#prints[slot] === 0) return;
    this.#size -= 1;
    const left = (this.#counts[slot] ?? 1) - 1;
    this.#counts[slot] = left;
    if (left === 0) this.#free(slot);
  }

  /** Forgets everything. */
  clear(): void {
    this.#mask = SMALLEST_CAPACITY - 1;
    this.#prints = new Uint32Array(SMALLEST_CAPACITY);
    this.#counts = new Uint32Array(SMALLEST_CAPACITY);
    this.#used = 0;
    this.#size = 0;
  }

  mayBeAnchor(bytes: Uint8Array, offset: number): boolean {
    if (this.#used === 0) return false;
    const vout = readUint32(bytes, offset + 32);
    const print = fingerprint(readUint32(bytes, offset), readUint32(bytes, offset + 4), vout, this.#seed);
    return this.#prints[this.#find(print)] !== 0;
  }

  #printOf(outpoint: Outpoint): number {
    // Wire order is the reverse of display order: the first word stands in the last eight digits.
    const vout = Number(outpoint.slice(65));
    return fingerprint(wordOfDisplayHex(outpoint, 56), wordOfDisplayHex(outpoint, 48), vout, this.#seed);
  }

  /** The slot that holds the print, or the free one where it would go. */
  #find(print: number): number {
    let slot = print & this.#mask;
    for (;;) {
      const held = this.#prints[slot];
      if (held === print || held === 0) return slot;
      slot = (slot + 1) & this.#mask;
    }
  }

  #insert(print: number, count: number): void {
    const slot = this.#find(print);
    if (this.#prints[slot] === 0) {
      this.#prints[slot] = print;
      this.#used += 1;
    }
    this.#counts[slot] = (this.#counts[slot] ?? 0) + count;
    if (this.#used * 2 > this.#mask) this.#grow();
  }

  #grow(): void {
    const prints = this.#prints;
    const counts = this.#counts;
    const capacity = (this.#mask + 1) * 2;
    this.#mask = capacity - 1;
    this.#prints = new Uint32Array(capacity);
    this.#counts = new Uint32Array(capacity);
    this.#used = 0;
    for (let slot = 0; slot < prints.length; slot += 1) {
      const print = prints[slot] ?? 0;
      if (print !== 0) this.#insert(print, counts[slot] ?? 0);
    }
  }

  /** Empties a slot and moves later ones of the same run up, so that no search stops too early. */
  #free(slot: number): void {
    let hole = slot;
    let next = (hole + 1) & this.#mask;
    for (;;) {
      const print = this.#prints[next] ?? 0;
      if (print === 0) break;
      const home = print & this.#mask;
      const reachesHole = ((next - home) & this.#mask) >= ((next - hole) & this.#mask);
      if (reachesHole) {
        this.#prints[hole] = print;
        this.#counts[hole] = this.#counts[next] ?? 0;
        hole = next;
      }
      next = (next + 1) & this.#mask;
    }
    this.#prints[hole] = 0;
    this.#counts[hole] = 0;
    this.#used -= 1;
  }
}
