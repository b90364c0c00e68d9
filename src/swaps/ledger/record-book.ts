// Records of what people have told the service: asks, takes, addresses and origins, with the bounds of S-42.

import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { AddressRecord, AskRecord, OriginRecord, TakeRecord } from "../../swap/records.ts";
import type { BookChange, Draft } from "./draft.ts";
import { addressFact, askFact, originFact, takeFact } from "./fact-codec.ts";
import { type KeyWatcher, MultiIndex } from "./multi-index.ts";

/** Seconds that a dead take keeps its addresses (S-42), and that an ask is kept when it has ended (S-34). */
export const KEPT_S = 7 * 86_400;

/** All records. */
export class RecordBook {
  readonly asks = new Map<Bytes32, AskRecord>();
  readonly asksBySeller = new MultiIndex<EvmAddress, Bytes32>();
  /** As `LedgerReads.balanceSeenAt`. Not stored. */
  readonly balancesSeen = new Map<string, number>();
  /** Oldest first. */
  readonly takes = new Map<Bytes32, TakeRecord>();
  readonly takesByAsk = new MultiIndex<Bytes32, Bytes32>();
  readonly takesByHashlock: MultiIndex<Bytes32, Bytes32>;
  /** Asks by `expiry` and takes by `expiresAt`, in decimal: who dies is found without looking at everybody. */
  readonly #asksByEnd = new MultiIndex<string, Bytes32>();
  readonly #takesByEnd = new MultiIndex<string, Bytes32>();
  readonly addresses = new Map<Bytes32, AddressRecord>();
  readonly origins = new Map<Bytes32, OriginRecord>();

  /** `hashlocks` is told which hashlocks takes have. */
  constructor(hashlocks: KeyWatcher<Bytes32>) {
    this.takesByHashlock = new MultiIndex(hashlocks);
  }

  /** Puts an ask. */
  putAsk(ask: AskRecord, change: BookChange): void {
    change.set(this.asks, ask.askId, ask);
    change.link(this.asksBySeller, ask.terms.seller, ask.askId);
    change.link(this.#asksByEnd, String(ask.terms.expiry), ask.askId);
    change.store(() => askFact(ask));
    change.touchAsk(ask.askId, null);
  }

  /** Removes an ask that is there. */
  removeAsk(id: Bytes32, change: BookChange): void {
    const ask = this.asks.get(id);
    if (ask === undefined) return;
    change.drop(this.asks, id);
    change.unlink(this.asksBySeller, ask.terms.seller, id);
    change.unlink(this.#asksByEnd, String(ask.terms.expiry), id);
    change.forget("ask", id);
    change.touchAsk(id, null);
  }

  /** Puts a take that lives anew under a known hash: as young as a new one. */
  renewTake(take: TakeRecord, draft: Draft): void {
    draft.forget("take", take.dealHash);
    this.putTake(take, draft);
    draft.afterCommit(() => {
      this.takes.delete(take.dealHash);
      this.takes.set(take.dealHash, take);
    });
  }

  /** Puts a take. */
  putTake(take: TakeRecord, change: BookChange): void {
    const known = this.takes.get(take.dealHash);
    if (known !== undefined) change.unlink(this.#takesByEnd, String(known.expiresAt), take.dealHash);
    change.link(this.#takesByEnd, String(take.expiresAt), take.dealHash);
    change.set(this.takes, take.dealHash, take);
    change.link(this.takesByAsk, take.terms.askId, take.dealHash);
    change.link(this.takesByHashlock, take.terms.hashlock, take.dealHash);
    change.store(() => takeFact(take));
    change.touch(take.dealHash, null);
  }

  /** Removes a take that is there. */
  removeTake(hash: Bytes32, draft: Draft): void {
    const take = this.takes.get(hash);
    if (take === undefined) return;
    // Not before the commit: a map whose entry comes back has another order.
    draft.afterCommit(() => void this.takes.delete(hash));
    draft.unlink(this.takesByAsk, take.terms.askId, hash);
    draft.unlink(this.takesByHashlock, take.terms.hashlock, hash);
    draft.unlink(this.#takesByEnd, String(take.expiresAt), hash);
    draft.forget("take", hash);
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
   * Gives an order addresses. The one of its take stays for ever; one that somebody gave by accept-lock is replaced by
   * any later one, or the first stranger would decide (S-55). Null fields change nothing.
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
    change.set(this.addresses, next.orderHash, next);
    change.store(() => addressFact(next));
    change.touch(next.orderHash, null);
  }

  /** Puts an origin. */
  putOrigin(origin: OriginRecord, change: BookChange): void {
    change.set(this.origins, origin.orderHash, origin);
    change.store(() => originFact(origin));
    change.touch(origin.orderHash, null);
  }

  /**
   * Hashes of the takes to remove: dead for seven days, and the oldest ones beyond `max`. Those in `leaving` are about
   * to be removed anyway.
   */
  outdatedTakes(now: number, max: number, leaving: ReadonlySet<Bytes32>): readonly Bytes32[] {
    const outdated: Bytes32[] = [];
    const excess = this.takes.size - leaving.size - max;
    for (const [hash, take] of this.takes) {
      if (leaving.has(hash)) continue;
      if (outdated.length >= excess && take.expiresAt + KEPT_S > now) break;
      outdated.push(hash);
    }
    return outdated;
  }
}

/** Members of the keys in (after, until], which are whole numbers in decimal. */
function* membersBetween(
  index: MultiIndex<string, Bytes32>,
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
