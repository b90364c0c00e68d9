// What each kind of change does to the books of a draft: steps of the EVM chain and of PEARL, snapshots of the mempool,
// records, and what time alone changes.

import type { Bytes32, EvmAddress, Outpoint, ScriptHex } from "../../primitives/brands.ts";
import type { ChainTips, PearlBlockFact, Sighting } from "../../swap/facts.ts";
import { outpointOf } from "../../swap/lock-choice.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { PostedTake, TakeRecord } from "../../swap/records.ts";
import type { Clock } from "../../follow/ports.ts";
import { evmReorgEvent } from "./change-events.ts";
import type { CausingBlock } from "./book-change.ts";
import type { Books, Draft } from "./books.ts";
import { bundleOf, leave } from "./bundles.ts";
import type { LedgerChange, Moment, TimedChange } from "./change-text.ts";
import { CLOSED, UNREVEALED } from "./closed-book.ts";
import { closedBundle, countedOrders } from "./closed-rows.ts";
import { EVENT } from "./fact-kinds.ts";
import { ImpossibleLog } from "../evm/evm-unavailable.ts";
import type { ChainCheckpoint, EvmChange, EvmJudgement, PearlChange, RecordWrites } from "./ports.ts";
import { openBundles } from "./recall.ts";
import { AffectedRows } from "./affected-rows.ts";
import { isStillWatched } from "./watched-scripts.ts";

/** Events that are applied between two breaths of the event loop: some milliseconds, the curve operations included. */
const APPLIED_AT_ONCE = 128;

const FACT_ORDER: Readonly<Record<PearlBlockFact["kind"], number>> = { output: 0, spend: 1, inputSpend: 2 };

/** Outputs first, since a spend is of a known one, and in chain order, which decides which of them are kept (S-15). */
function inOrder(one: PearlBlockFact, other: PearlBlockFact): number {
  if (one.kind !== "output" || other.kind !== "output") return FACT_ORDER[one.kind] - FACT_ORDER[other.kind];
  return (
    one.place.height - other.place.height || one.place.txIndex - other.place.txIndex || one.vout - other.vout
  );
}

/** What changes are made with. */
interface LedgerChangesParts {
  readonly crypto: SwapCrypto;
  readonly clock: Clock;
  /** Takes that are kept in all (S-42). */
  readonly takeMax: number;
}

/** Makes one change out in a draft, which nobody else changes meanwhile. */
export class LedgerChanges {
  readonly #draft: Draft;
  readonly #books: Books;
  /** Of what no block causes. */
  readonly #ofNoBlock: AffectedRows;
  /** Of the block of the tip, where that has moved. */
  #ofTip: AffectedRows;
  readonly #parts: LedgerChangesParts;

  constructor(draft: Draft, parts: LedgerChangesParts) {
    this.#parts = parts;
    this.#draft = draft;
    this.#books = draft.books;
    this.#ofNoBlock = this.#by(null);
    this.#ofTip = this.#ofNoBlock;
  }

  #by(cause: CausingBlock | null): AffectedRows {
    return new AffectedRows(this.#draft, cause);
  }

  /** A step of the EVM chain, in pieces between which others are served. Rejects where it does not continue what is there. */
  async evm(change: EvmChange): Promise<void> {
    const { chains, trust } = this.#books;
    const { tip, rewind, judged } = change;
    const rewindTo = rewind?.toHeight ?? null;
    const { finalHeight: oldFinalHeight } = chains.tips.evm;
    const oldTip = chains.evmTip;
    const base = checkedBase("EVM", oldTip.height, rewindTo, tip.height);
    this.#ofTip = this.#by({ chain: "evm", height: tip.height, hash: tip.hash });
    if (rewindTo !== null) this.#rewindEvm(rewindTo);
    await this.#applyEvents(change, base);
    // What is read again after a rewind was not read twice yet (S-08).
    const kept = Math.min(oldFinalHeight, base);
    const raised = judged?.kind === "raise" ? Math.min(judged.finalHeight, tip.height) : -1;
    const finalHeight = Math.max(kept, raised);
    trust.settle(finalHeight);
    if (judged !== null) this.#judge(judged);
    if (rewind !== null && rewind.alarm !== null) trust.raise(rewind.alarm, this.#ofTip);
    const { height, hash, time } = tip;
    this.#moved("evm", rewindTo, change.checkpoints, finalHeight);
    const final = chains.finalAt(finalHeight);
    chains.move({ chain: "evm", height, hash, time, finalHeight, final }, this.#ofTip);
    if (rewindTo !== null) this.#draft.events.push(evmReorgEvent(rewindTo, oldTip, tip));
    this.#draft.isExplained = rewindTo !== null || (judged?.kind === "raise" && judged.events.length > 0);
  }

  /** A step of the PEARL chain, or facts of older blocks. @throws where it does not continue what is there. */
  pearl(change: PearlChange): void {
    const { chains, locks, scripts } = this.#books;
    const { tip, rewindTo, reached } = change;
    const oldHeight = chains.tips.pearl.height;
    const height = tip?.height ?? oldHeight;
    checkedBase("PEARL", oldHeight, rewindTo, height);
    const ofTip = tip === null ? this.#ofNoBlock : this.#by({ chain: "pearl", height, hash: tip.hash });
    this.#ofTip = ofTip;
    const undone = rewindTo === null ? null : locks.rewind(rewindTo, ofTip);
    if (rewindTo !== null) {
      chains.rewindRereads(rewindTo, ofTip);
      for (const script of scripts.rewind(rewindTo, ofTip)) ofTip.touchScript(script);
    }
    const { spends, turnedAway } = this.#applyBlockFacts(change.facts, height);
    // After the blocks: a bound for outputs in no block must not judge those that blocks hold.
    this.#sight(change.sightings.filter((sighting) => !turnedAway.has(outpointOf(sighting))));
    if (undone !== null) locks.putBack(undone, ofTip);
    // Spends of outputs that are not kept show nothing, or a rebuild in other steps would know other secrets.
    const secrets = change.secrets.filter(
      ({ shower }) => shower.by === "claim" || !turnedAway.has(shower.outpoint),
    );
    this.#showPreimages(secrets, spends);
    const unread = new Set<ScriptHex>();
    for (const [script, belowSat] of change.leftOut)
      if (!scripts.leaveOut(script, belowSat, ofTip)) unread.add(script);
    for (const script of unread) ofTip.touchScript(script);
    if (reached?.kind === "again") for (const note of reached.notes) chains.endReread(note, ofTip);
    if (reached?.kind === "scripts") {
      // From now on the actions and verdicts of the order stand (S-62): its row is another one.
      for (const script of reached.scripts)
        if (!unread.has(script) && scripts.cover(script, reached, ofTip)) ofTip.touchScript(script);
    }
    if (tip !== null) {
      const { hash, time, medianTimePast } = tip;
      chains.move({ chain: "pearl", height, hash, time, medianTimePast }, ofTip);
    }
    this.#draft.isExplained = rewindTo !== null;
    this.#moved("pearl", rewindTo, change.checkpoints, -1);
  }

  /** The mempool's picture with what it showed. */
  mempool(change: Extract<LedgerChange, { kind: "mempool" }>): void {
    const { sightings, secrets, rereadFrom } = change;
    const { locks, chains } = this.#books;
    this.#draft.isExplained = locks.look(change, this.#ofNoBlock);
    // Versions that are gone make room for the ones in their places; what is sighted may be gone as well.
    locks.forgetAlike(this.#ofNoBlock);
    this.#sight(sightings);
    locks.forgetAlike(this.#ofNoBlock);
    if (rereadFrom !== null) chains.noteReread(rereadFrom, this.#ofNoBlock);
    this.#showPreimages(secrets, new Map());
  }

  /** Records by the API. */
  records(given: RecordWrites): void {
    const { records, chains } = this.#books;
    const change = this.#ofNoBlock;
    for (const take of given.takes ?? []) this.#keepTake(take);
    for (const ask of given.asks ?? []) records.putAsk(ask, change);
    for (const addresses of given.addresses ?? []) records.putAddresses(addresses, change);
    for (const origin of given.origins ?? []) records.putOrigin(origin, change);
    if (given.rereadFrom !== undefined) chains.noteReread(given.rereadFrom, change);
  }

  /**
   * A take that comes before its order is the buyer's word, since nobody else knows its terms yet. Once they are on the
   * chain anybody can post them, with the other address that the buyer's key fits (S-55).
   */
  #keepTake(posted: PostedTake): void {
    const { records, orders } = this.#books;
    const { dealHash: orderHash, buyerPearlAddress } = posted;
    const known = records.takes.get(orderHash);
    const hasOrder = orders.entries.has(orderHash);
    const isAddressReplaceable =
      known === undefined
        ? hasOrder
        : known.isAddressReplaceable || known.buyerPearlAddress !== buyerPearlAddress;
    const take: TakeRecord = { ...posted, isAddressReplaceable };
    if (known !== undefined && known.createdAt !== take.createdAt) records.renewTake(take, this.#ofNoBlock);
    else records.putTake(take, this.#ofNoBlock);
    if (hasOrder) this.#keepAddress(take);
  }

  /**
   * Carries a change out: with the closed bundles that come back before it, and with what time does besides, from a moment
   * to the one that `momentAt` gives for the tips that the change leaves. Resolves with that; rejects as the steps throw.
   */
  async carryOut<Later extends Moment>(
    { change, was, opened }: Omit<TimedChange, "is">,
    momentAt: (tips: ChainTips) => Later,
  ): Promise<Later> {
    const { chains } = this.#books;
    const { tips } = chains;
    openBundles(this.#draft, opened);
    await this.#make(change);
    const is = momentAt(chains.tips);
    this.#passTime(was, is, tips);
    return is;
  }

  async #make(change: LedgerChange): Promise<void> {
    switch (change.kind) {
      case "evm":
        return this.evm(change.step);
      case "pearl":
        return this.pearl(change.step);
      case "mempool":
        return this.mempool(change);
      case "records":
        return this.records(change.writes);
      case "time":
        for (const askId of change.forgotten) this.#books.records.removeAsk(askId, this.#ofNoBlock);
        return;
      case "close":
        for (const hashlock of change.hashlocks) this.#close(hashlock);
        this.#draft.store(CLOSED, this.#books.closed.turnVersion());
        return;
      case "open":
        // What it is about has come back before.
        return;
      case "alarms":
        return this.#books.trust.keepAlarms(new Set(change.stored));
      case "ends":
        return this.#books.trust.show(change.shown, this.#ofNoBlock);
    }
  }

  /** A bundle leaves memory. What the store needs to know of it is made of the books that have it. */
  #close(hashlock: Bytes32): void {
    const books = this.#books;
    const bundle = bundleOf(books, hashlock);
    if (bundle === null) throw new Error(`swap ledger: the orders of ${hashlock} cannot close`);
    const id = books.closed.nextBundle();
    const { moved } = this.#draft;
    this.#draft.close.push(closedBundle(books, bundle, id, this.#parts.crypto));
    books.closed.count(countedOrders(books, bundle.orders), bundle.asks.size, 1);
    for (const one of bundle.hashlocks) {
      if (books.secrets.entries.has(one)) continue;
      books.closed.unrevealed.add(one, one);
      this.#draft.store(UNREVEALED, one);
    }
    for (const order of bundle.orders) moved.orders.add(order);
    for (const ask of bundle.asks) moved.asks.add(ask);
    leave(books, bundle);
  }

  /**
   * What time and the tips change besides, when all else is applied: asks and takes die, takes long dead go, and the
   * oldest beyond `takeMax`; orders become final.
   */
  #passTime(was: Moment, is: Moment, tipsBefore: ChainTips): void {
    const { records } = this.#books;
    this.#ofNoBlock.moment(was.expiryNow, is.expiryNow);
    for (const hash of records.outdatedTakes(is.expiryNow, this.#parts.takeMax))
      records.removeTake(hash, this.#ofNoBlock);
    this.#ofTip.tips(tipsBefore);
    this.#ofTip.settle(tipsBefore);
  }

  /** A chain has moved, and its remembered blocks with it; `finalHeight` as for `remember`. */
  #moved(
    chain: CausingBlock["chain"],
    rewindTo: number | null,
    checkpoints: readonly ChainCheckpoint[],
    finalHeight: number,
  ): void {
    if (rewindTo !== null) this.#draft.rewind = { chain, toHeight: rewindTo };
    this.#draft.checkpoints = checkpoints;
    this.#books.chains.remember(chain, rewindTo, checkpoints, finalHeight);
  }

  #judge({ kind, events }: EvmJudgement): void {
    const { trust } = this.#books;
    for (const event of events) {
      if (kind === "raise") trust.dispute(event, this.#ofTip);
      else trust.resolve(event, this.#ofTip);
      if ("orderHash" in event) this.#ofTip.touch(event.orderHash);
    }
  }

  #rewindEvm(rewindTo: number): void {
    const { orders, settings, trust } = this.#books;
    trust.rewind(rewindTo);
    const said = settings.saidAbove(rewindTo);
    settings.rewind(rewindTo);
    orders.rewind(rewindTo, this.#ofTip, ({ orderHash, terms }) => this.#ofTip.order(orderHash, terms));
    for (const seller of said.sellers) this.#ofTip.asksOf(seller);
    if (said.fee) this.#ofTip.allAsks();
  }

  async #applyEvents({ events, tip }: EvmChange, base: number): Promise<void> {
    const { orders, secrets, trust } = this.#books;
    const revoking = new Map<EvmAddress, AffectedRows>();
    for (const [at, event] of events.entries()) {
      if (at % APPLIED_AT_ONCE === APPLIED_AT_ONCE - 1) await this.#parts.clock.sleep(0);
      const { place } = event;
      if (place.block <= base || place.block > tip.height) {
        throw new Error(
          `swap ledger: an event of block ${place.block} came with blocks ${base + 1} to ${tip.height}`,
        );
      }
      const change = this.#by({ chain: "evm", height: place.block, hash: place.blockHash });
      this.#books.applyEvent(event, change);
      trust.add(event);
      // After what it is made of: loading reads scripts before the events that name them.
      change.store(EVENT, event);
      if (event.kind === "AsksRevoked") revoking.set(event.seller, change);
      else change.event(event);
      if (event.kind === "OrderLocked") this.#takeAddress(event.orderHash);
      if (event.kind !== "OrderClaimed") continue;
      const hashlock = orders.entries.get(event.orderHash)?.facts.terms.hashlock;
      if (hashlock === undefined) continue;
      if (!secrets.fits(hashlock, event.secret)) {
        throw new ImpossibleLog(event, `its secret does not hash to ${hashlock}`);
      }
      const shower = { by: "claim", orderHash: event.orderHash, txHash: place.txHash } as const;
      if (secrets.show(hashlock, event.secret, shower, change)) change.hashlock(hashlock);
    }
    // Once for all that a seller said: who has thousands of asks may revoke thousands of times in one block.
    for (const [seller, change] of revoking) change.asksOf(seller);
  }

  /** An order becomes known: the address of a take before it stays for ever, another one fills a gap (S-55). */
  #takeAddress(orderHash: Bytes32): void {
    const { records } = this.#books;
    const take = records.takes.get(orderHash);
    if (take === undefined) return;
    const isGiven = (records.addresses.get(orderHash)?.buyerPearlAddress ?? null) !== null;
    if (!take.isAddressReplaceable || !isGiven) this.#keepAddress(take);
  }

  #keepAddress({ dealHash: orderHash, buyerPearlAddress, isAddressReplaceable }: TakeRecord): void {
    const isBuyerFromTake = !isAddressReplaceable;
    const addresses = { orderHash, buyerPearlAddress, sellerPearlAddress: null, isBuyerFromTake };
    this.#books.records.putAddresses(addresses, this.#ofNoBlock);
  }

  /** Remembers sightings, and once per transaction what it spends. */
  #sight(sightings: readonly Sighting[]): void {
    const { locks } = this.#books;
    for (const sighting of sightings) {
      locks.sight(sighting, this.#ofNoBlock);
      if (locks.entries.get(outpointOf(sighting))?.isSighted !== true) continue;
      locks.know(sighting.txid, sighting.inputs, this.#ofNoBlock);
    }
  }

  /** Returns what the block of every spend changes, and the outputs that are not kept. */
  #applyBlockFacts(
    facts: readonly PearlBlockFact[],
    tipHeight: number,
  ): { readonly spends: ReadonlyMap<string, AffectedRows>; readonly turnedAway: ReadonlySet<Outpoint> } {
    const books = this.#books;
    const spends = new Map<string, AffectedRows>();
    const turnedAway = new Set<Outpoint>();
    const sorted = facts.toSorted(inOrder);
    for (const fact of sorted) {
      const { height, blockHash } = fact.place;
      if (height > tipHeight) {
        throw new Error(`swap ledger: a fact of PEARL block ${height} came with the tip ${tipHeight}`);
      }
      const change = this.#by({ chain: "pearl", height, hash: blockHash });
      if (fact.kind === "spend") spends.set(`${fact.outpoint}/${fact.txid}`, change);
      const isWatched = (entry: Parameters<typeof isStillWatched>[1], time: number): boolean =>
        isStillWatched(books, entry, time);
      const isKept = books.locks.apply(fact, change, isWatched);
      if (!isKept && fact.kind === "output") turnedAway.add(outpointOf(fact));
    }
    return { spends, turnedAway };
  }

  #showPreimages(shown: PearlChange["secrets"], spends: ReadonlyMap<string, AffectedRows>): void {
    const { secrets } = this.#books;
    for (const { hashlock, secret, shower } of shown) {
      const spend = shower.by === "spend" ? spends.get(`${shower.outpoint}/${shower.txid}`) : undefined;
      const change = spend ?? this.#ofNoBlock;
      if (secrets.show(hashlock, secret, shower, change)) change.hashlock(hashlock);
    }
  }
}

/** The last block that stays. @throws where the step leaves a gap or goes back without saying so. */
function checkedBase(chain: string, oldHeight: number, rewindTo: number | null, newHeight: number): number {
  if (rewindTo !== null && rewindTo > oldHeight) {
    throw new Error(`swap ledger: a rewind of ${chain} to ${rewindTo}, the tip being ${oldHeight}`);
  }
  const base = rewindTo ?? oldHeight;
  if (newHeight < base)
    throw new Error(`swap ledger: ${chain} went from ${base} to ${newHeight} without a rewind`);
  return base;
}
