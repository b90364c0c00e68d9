// Output scripts that are locks of orders (S-10). Every script that any order ever had: computed once, then stored, so
// that loading does no curve operations; those of former keys stay watched (S-15).

import type { Bytes32, ScriptHex } from "../../primitives/brands.ts";
import { fromBytes32, type SwapCrypto } from "../../swap/crypto.ts";
import { htlcOf, htlcOfPoints, type HtlcTerms } from "../../swap/htlc-script.ts";
import type { BookChange } from "./book-change.ts";
import { BAD_KEY, SCRIPT } from "./fact-kinds.ts";
import type { Layer, LayeredIndex, LayeredMap } from "./layers.ts";
import type { ReadGoal, ScriptEntry } from "./ports.ts";

/** Seconds before an order's first fact from which PEARL blocks are read for it (S-53). */
const READ_BEFORE_S = 7200;

/** Scripts of a hashlock that are compared before one is computed: beyond it that is cheaper, and gives the same. */
const COMPARED = 64;

/** Keys that are remembered to be points. */
const MAX_GOOD_KEYS = 10_000;

/** All lock scripts. */
export class ScriptBook {
  readonly entries: LayeredMap<ScriptHex, ScriptEntry>;
  /** Scripts whose older blocks are not read. */
  readonly uncovered: LayeredMap<ScriptHex, true>;
  readonly byHashlock: LayeredIndex<Bytes32, ScriptHex>;
  readonly #badKeys: LayeredMap<Bytes32, true>;
  readonly #goodKeys: Set<Bytes32>;
  readonly #crypto: SwapCrypto;

  constructor(layer: Layer<ScriptBook>, crypto: SwapCrypto) {
    this.entries = layer.map((under) => under.entries);
    this.uncovered = layer.map((under) => under.uncovered);
    this.byHashlock = layer.index((under) => under.byHashlock);
    this.#badKeys = layer.map((under) => under.#badKeys);
    this.#goodKeys = layer.shared(
      (under) => under.#goodKeys,
      () => new Set(),
    );
    this.#crypto = crypto;
  }

  /** Whether the key is a point; one that is none is remembered with the change. */
  isPoint(key: Bytes32, change: BookChange): boolean {
    if (this.#badKeys.has(key)) return false;
    // A key that is no point was stored before the orders that have it.
    if (change.isLoading || this.#goodKeys.has(key)) return true;
    if (this.#crypto.isPoint(fromBytes32(key))) {
      // A buyer's key is asked for at the lock and again at the acceptance, a seller's for each of his orders.
      if (this.#goodKeys.size >= MAX_GOOD_KEYS) this.#goodKeys.clear();
      this.#goodKeys.add(key);
      return true;
    }
    this.#badKeys.set(key, true);
    change.store(BAD_KEY, key);
    return false;
  }

  /** A key that is no point, loaded. */
  loadBadKey(key: Bytes32): void {
    this.#badKeys.set(key, true);
  }

  /** The stored script of these terms; null where it is not among the first of its hashlock, of which anybody makes many. */
  find(terms: HtlcTerms): ScriptHex | null {
    let left = COMPARED;
    for (const script of this.byHashlock.of(terms.hashlock)) {
      if (left === 0) return null;
      left -= 1;
      const entry = this.entries.get(script);
      const isSame =
        entry !== undefined &&
        entry.buyerKey === terms.buyerKey &&
        entry.sellerKey === terms.sellerKey &&
        entry.pearlRefundTime === terms.pearlRefundTime;
      if (isSame) return script;
    }
    return null;
  }

  /** The script of these terms without watching it; null where a key is no point. */
  compute(terms: HtlcTerms): ScriptHex | null {
    return this.find(terms) ?? htlcOf(terms, this.#crypto)?.script ?? null;
  }

  /**
   * Watches the script of an order of this amount whose first fact is of `firstTime`; both keys are known to be points.
   */
  watch(terms: HtlcTerms, amountSat: bigint, firstTime: number, change: BookChange): ScriptHex | null {
    const script = this.find(terms) ?? htlcOfPoints(terms, this.#crypto)?.script ?? null;
    if (script === null) return null;
    const fromTime = firstTime - READ_BEFORE_S;
    const known = this.entries.get(script);
    const isEarlier = known === undefined || fromTime < known.fromTime;
    const isLess = known === undefined || known.leastAmountSat === 0n || amountSat < known.leastAmountSat;
    if (!isEarlier && !isLess) return script;
    const { hashlock, buyerKey, sellerKey, pearlRefundTime } = terms;
    const bounds = {
      fromTime: isEarlier ? fromTime : known.fromTime,
      // What was not kept as too small may be large enough now: it is read again.
      readFrom: isEarlier || known.isCapped ? null : known.readFrom,
      leastAmountSat: isLess ? amountSat : known.leastAmountSat,
      isCapped: false,
    };
    this.put({ script, hashlock, buyerKey, sellerKey, pearlRefundTime, ...bounds }, change);
    return script;
  }

  /**
   * Says that the blocks from there up to the tip are read for this script; whether that is news. Unknown scripts are
   * ignored, and those that an order has come for meanwhile that asks for older blocks.
   */
  cover(
    script: ScriptHex,
    { fromTime, fromHeight }: Pick<Extract<ReadGoal, { kind: "scripts" }>, "fromTime" | "fromHeight">,
    change: BookChange,
  ): boolean {
    const known = this.entries.get(script);
    if (known === undefined || known.readFrom !== null || known.fromTime < fromTime) return false;
    this.put({ ...known, readFrom: fromHeight }, change);
    return true;
  }

  /**
   * Blocks above this height have left the chain. Where the one by which a script's older blocks need not be read is among
   * them, that is no longer known; gives those scripts.
   */
  rewind(toHeight: number, change: BookChange): readonly ScriptHex[] {
    const begun = [...this.entries.values()].filter(
      ({ readFrom }) => readFrom !== null && toHeight < readFrom - 1,
    );
    for (const entry of begun) this.put({ ...entry, readFrom: null }, change);
    return begun.map(({ script }) => script);
  }

  /** Says that small outputs of the script were not kept (S-15). */
  cap(script: ScriptHex, change: BookChange): void {
    const known = this.entries.get(script);
    if (known !== undefined && !known.isCapped) this.put({ ...known, isCapped: true }, change);
  }

  /**
   * Says that outputs of the script below this amount were left out of what was read. False where an order has come
   * meanwhile for which they may be large enough: then the script's blocks are to be read again.
   */
  leaveOut(script: ScriptHex, belowSat: bigint, change: BookChange): boolean {
    const known = this.entries.get(script);
    if (known === undefined || known.leastAmountSat >= belowSat) {
      this.cap(script, change);
      return true;
    }
    this.put({ ...known, readFrom: null, isCapped: false }, change);
    return false;
  }

  /** The least pearl_amount_sat of the orders that ever had the script: below it outputs are small (S-15). */
  leastAmount(script: ScriptHex): bigint {
    return this.entries.get(script)?.leastAmountSat ?? 0n;
  }

  /** Takes a script out whose orders have closed. */
  leave(script: ScriptHex): void {
    const entry = this.entries.get(script);
    if (entry === undefined) return;
    this.entries.delete(script);
    this.byHashlock.delete(entry.hashlock, script);
  }

  /** Puts an entry. */
  put(entry: ScriptEntry, change: BookChange): void {
    this.entries.set(entry.script, entry);
    this.byHashlock.add(entry.hashlock, entry.script);
    if (entry.readFrom === null) this.uncovered.set(entry.script, true);
    else this.uncovered.delete(entry.script);
    change.store(SCRIPT, entry);
  }
}
