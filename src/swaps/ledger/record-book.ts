// Records of what people have told the service: asks, takes, addresses and origins, with the bounds of S-42.

import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { AddressRecord, AskRecord, OriginRecord, TakeRecord } from "../../swap/records.ts";
import { type BookChange, LOADING } from "./book-change.ts";
import { ADDRESSES, ASK, ORIGIN, TAKE } from "./fact-kinds.ts";
import type { Layer, LayeredIndex, LayeredMap } from "./layers.ts";
import type { KeyWatcher } from "./multi-index.ts";

/** Seconds that a dead take keeps its addresses (S-42), and that an ask is kept when it has ended (S-34). */
export const KEPT_S = 7 * 86_400;

/** All records. */
export class RecordBook {
  readonly asks: LayeredMap<Bytes32, AskRecord>;
  readonly asksBySeller: LayeredIndex<EvmAddress, Bytes32>;
  /** Oldest first. */
  readonly takes: LayeredMap<Bytes32, TakeRecord>;
  readonly takesByAsk: LayeredIndex<Bytes32, Bytes32>;
  readonly takesByHashlock: LayeredIndex<Bytes32, Bytes32>;
  /** Takes by `endOfAsk`, for who counts the living ones of an ask: strangers leave as many dead ones as they like. */
  readonly #takesByAskAndEnd: LayeredIndex<string, Bytes32>;
  /**
   * The latest `expiresAt` that a take of an ask, or with a hashlock, has had since there are any. Apart, since strangers
   * choose hashlocks, also such as are an ask's id.
   */
  readonly #askEnds: LayeredMap<Bytes32, number>;
  readonly #hashlockEnds: LayeredMap<Bytes32, number>;
  /** Asks by `expiry` and takes by `expiresAt`, in decimal: who dies is found without looking at everybody. */
  readonly #asksByEnd: LayeredIndex<string, Bytes32>;
  readonly #takesByEnd: LayeredIndex<string, Bytes32>;
  readonly addresses: LayeredMap<Bytes32, AddressRecord>;
  readonly origins: LayeredMap<Bytes32, OriginRecord>;
  /** Goes round all asks. */
  #asksInTurn: Iterator<AskRecord> | null = null;

  /** `hashlocks` is told which hashlocks takes have. */
  constructor(layer: Layer<RecordBook>, hashlocks: KeyWatcher<Bytes32>) {
    this.asks = layer.map((under) => under.asks);
    this.asksBySeller = layer.index((under) => under.asksBySeller);
    this.takes = layer.map((under) => under.takes);
    this.takesByAsk = layer.index((under) => under.takesByAsk);
    this.takesByHashlock = layer.index((under) => under.takesByHashlock, hashlocks);
    this.#takesByAskAndEnd = layer.index((under) => under.#takesByAskAndEnd);
    this.#askEnds = layer.map((under) => under.#askEnds);
    this.#hashlockEnds = layer.map((under) => under.#hashlockEnds);
    this.#asksByEnd = layer.index((under) => under.#asksByEnd);
    this.#takesByEnd = layer.index((under) => under.#takesByEnd);
    this.addresses = layer.map((under) => under.addresses);
    this.origins = layer.map((under) => under.origins);
  }

  /** Puts an ask. */
  putAsk(ask: AskRecord, change: BookChange): void {
    this.asks.set(ask.askId, ask);
    this.asksBySeller.add(ask.terms.seller, ask.askId);
    this.#asksByEnd.add(String(ask.terms.expiry), ask.askId);
    change.store(ASK, ask);
    change.touchAsk(ask.askId);
  }

  /** Removes an ask that is there. */
  removeAsk(id: Bytes32, change: BookChange): void {
    const ask = this.asks.get(id);
    if (ask === undefined) return;
    this.asks.delete(id);
    this.asksBySeller.delete(ask.terms.seller, id);
    this.#asksByEnd.delete(String(ask.terms.expiry), id);
    change.forget(ASK, id);
    change.touchAsk(id);
  }

  /** Takes an ask out whose order has closed. */
  leaveAsk(id: Bytes32): void {
    this.removeAsk(id, LOADING);
  }

  /** Puts a take that lives anew under a known hash: as young as a new one. */
  renewTake(take: TakeRecord, change: BookChange): void {
    const known = this.takes.get(take.dealHash);
    if (known !== undefined) this.#forgetEnd(known);
    change.forget(TAKE, take.dealHash);
    this.takes.delete(take.dealHash);
    this.putTake(take, change);
  }

  /** Puts a take. */
  putTake(take: TakeRecord, change: BookChange): void {
    const known = this.takes.get(take.dealHash);
    if (known !== undefined) this.#forgetEnd(known);
    const { askId, hashlock } = take.terms;
    this.#takesByEnd.add(String(take.expiresAt), take.dealHash);
    this.#takesByAskAndEnd.add(endOfAsk(askId, take.expiresAt), take.dealHash);
    this.#askEnds.set(askId, Math.max(take.expiresAt, this.#askEnds.get(askId) ?? 0));
    this.#hashlockEnds.set(hashlock, Math.max(take.expiresAt, this.#hashlockEnds.get(hashlock) ?? 0));
    this.takes.set(take.dealHash, take);
    this.takesByAsk.add(askId, take.dealHash);
    this.takesByHashlock.add(hashlock, take.dealHash);
    change.store(TAKE, take);
    change.touch(take.dealHash);
  }

  /** Removes a take that is there. */
  removeTake(hash: Bytes32, change: BookChange): void {
    const take = this.takes.get(hash);
    if (take === undefined) return;
    const { askId, hashlock } = take.terms;
    this.takes.delete(hash);
    this.takesByAsk.delete(askId, hash);
    this.takesByHashlock.delete(hashlock, hash);
    this.#forgetEnd(take);
    if (!this.takesByAsk.has(askId)) this.#askEnds.delete(askId);
    if (!this.takesByHashlock.has(hashlock)) this.#hashlockEnds.delete(hashlock);
    change.forget(TAKE, hash);
    // The row of its order, where there is one, shows when it expired.
    change.touch(hash);
  }

  /** Some asks, at most so many: from one call to the next it goes round all of them. */
  nextAsks(count: number): readonly AskRecord[] {
    const turn = this.#asksInTurn ?? this.asks.values();
    this.#asksInTurn = turn;
    const asks: AskRecord[] = [];
    while (asks.length < count) {
      const next = turn.next();
      if (next.done === true) {
        this.#asksInTurn = null;
        break;
      }
      asks.push(next.value);
    }
    return asks;
  }

  /** How many takes of an ask are alive at this time; of one of them there may be an order. */
  liveTakes(askId: Bytes32, now: number): number {
    const last = this.#askEnds.get(askId) ?? now;
    let live = 0;
    if (this.takesByAsk.count(askId) <= last - now) {
      // Few takes, or a clock that was set back: they are fewer than the seconds.
      for (const hash of this.takesByAsk.of(askId))
        if ((this.takes.get(hash)?.expiresAt ?? now) > now) live += 1;
      return live;
    }
    for (let end = now + 1; end <= last; end += 1) live += this.#takesByAskAndEnd.count(endOfAsk(askId, end));
    return live;
  }

  /**
   * When the last take with this hashlock dies; 0 where there is none. May be later than the end of those that are left,
   * where one was removed before its time because there were too many.
   */
  hashlockTakenUntil(hashlock: Bytes32): number {
    return this.#hashlockEnds.get(hashlock) ?? 0;
  }

  /** Asks whose `expiry` is in (after, until]. */
  asksEnding(after: number, until: number): Iterable<Bytes32> {
    return membersBetween(this.#asksByEnd, after, until);
  }

  /** Takes whose `expiresAt` is in (after, until]. */
  takesEnding(after: number, until: number): Iterable<Bytes32> {
    return membersBetween(this.#takesByEnd, after, until);
  }

  /**
   * Gives an order addresses. The one of a take before it stays for ever; one that somebody gave by accept-lock, or by
   * a take that anybody could post, is replaced by any later one, or the first stranger would decide (S-55). Null
   * fields change nothing.
   */
  putAddresses(given: AddressRecord, change: BookChange): void {
    const known = this.addresses.get(given.orderHash);
    const isFixed = known?.isBuyerFromTake === true;
    const next: AddressRecord = {
      orderHash: given.orderHash,
      buyerPearlAddress: (isFixed ? null : given.buyerPearlAddress) ?? known?.buyerPearlAddress ?? null,
      sellerPearlAddress: given.sellerPearlAddress ?? known?.sellerPearlAddress ?? null,
      isBuyerFromTake: isFixed || given.isBuyerFromTake,
    };
    const isSame =
      known?.buyerPearlAddress === next.buyerPearlAddress &&
      known.sellerPearlAddress === next.sellerPearlAddress &&
      isFixed === next.isBuyerFromTake;
    if (isSame) return;
    this.addresses.set(next.orderHash, next);
    change.store(ADDRESSES, next);
    change.touch(next.orderHash);
  }

  #forgetEnd({ dealHash, terms, expiresAt }: TakeRecord): void {
    this.#takesByEnd.delete(String(expiresAt), dealHash);
    this.#takesByAskAndEnd.delete(endOfAsk(terms.askId, expiresAt), dealHash);
  }

  /** Puts an origin. */
  putOrigin(origin: OriginRecord, change: BookChange): void {
    this.origins.set(origin.orderHash, origin);
    change.store(ORIGIN, origin);
    change.touch(origin.orderHash);
  }

  /** Hashes of the takes to remove: dead for seven days, and the oldest ones beyond `max`. */
  outdatedTakes(now: number, max: number): readonly Bytes32[] {
    const outdated: Bytes32[] = [];
    const excess = this.takes.size - max;
    for (const [hash, take] of this.takes) {
      if (outdated.length >= excess && take.expiresAt + KEPT_S > now) break;
      outdated.push(hash);
    }
    return outdated;
  }
}

function endOfAsk(askId: Bytes32, expiresAt: number): string {
  return `${askId} ${expiresAt}`;
}

/** Members of the keys in (after, until], which are whole numbers in decimal. */
function* membersBetween(
  index: LayeredIndex<string, Bytes32>,
  after: number,
  until: number,
): Generator<Bytes32> {
  // A clock that stood still for days jumps over more seconds than there are ends.
  if (until - after > index.size) {
    for (const end of index.keys()) if (Number(end) > after && Number(end) <= until) yield* index.of(end);
    return;
  }
  for (let end = after + 1; end <= until; end += 1) yield* index.of(String(end));
}
