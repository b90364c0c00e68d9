// What each kind of change does to the books: steps of the EVM chain and of PEARL, snapshots of the mempool, records,
// and what time alone changes. All of it goes through a draft.

import type { Bytes32, Outpoint, ScriptHex } from "../../primitives/brands.ts";
import type { ChainTips, PearlBlockFact, Sighting } from "../../swap/facts.ts";
import { outpointOf } from "../../swap/lock-choice.ts";
import type { AskRecord } from "../../swap/records.ts";
import type { EvaluationContext } from "../../swap/subject.ts";
import { evmReorgEvent } from "./change-events.ts";
import type { CausingBlock, ChangingValue, Draft } from "./draft.ts";
import { eventFact, tipFact } from "./fact-codec.ts";
import { ImpossibleLog } from "../evm/evm-unavailable.ts";
import { evmCause } from "./order-book.ts";
import type {
  ChainCheckpoint,
  EvmChange,
  MempoolLocks,
  PearlChange,
  RecordWrites,
  StoredSwapEvent,
  SwapTransaction,
} from "./ports.ts";
import { KEPT_S } from "./record-book.ts";
import type { Books } from "./subjects.ts";
import { AffectedRows } from "./affected-rows.ts";
import { isStillWatched } from "./watched-scripts.ts";

/** All that the ledger keeps. */
export interface LedgerState {
  readonly books: Books;
  readonly tips: ChangingValue<ChainTips>;
  /** Hash of the EVM tip; "" before the first. */
  readonly evmHash: ChangingValue<string>;
}

/** A change beside what its draft holds. */
export interface ChangeSummary {
  readonly rewind: SwapTransaction["rewind"];
  readonly checkpoints: readonly ChainCheckpoint[];
  /** Events that are not about rows. */
  readonly events: readonly StoredSwapEvent[];
  /** The new tip, where that is what changes rows. */
  readonly tipCause: CausingBlock | null;
  /** Whether a reorganisation or an eviction explains any way of a status (S-51). */
  readonly explained: boolean;
}

const EMPTY_SUMMARY: ChangeSummary = {
  rewind: null,
  checkpoints: [],
  events: [],
  tipCause: null,
  explained: false,
};

const FACT_ORDER: Readonly<Record<PearlBlockFact["kind"], number>> = { output: 0, spend: 1, inputSpend: 2 };

/** Outputs first, since a spend is of a known one, and in chain order, which decides which of them are kept (S-15). */
function inOrder(one: PearlBlockFact, other: PearlBlockFact): number {
  if (one.kind !== "output" || other.kind !== "output") return FACT_ORDER[one.kind] - FACT_ORDER[other.kind];
  return (
    one.place.height - other.place.height || one.place.txIndex - other.place.txIndex || one.vout - other.vout
  );
}

/** Asks that one step of time looks at for whether they are to be forgotten. */
const LOOKED_AT_ONCE = 2_000;

/** Applies changes to the books of one ledger. */
export class LedgerChanges {
  readonly #state: LedgerState;
  readonly #takeMax: number;
  /** Goes round all asks, some at a step of time. */
  #asksInTurn: Iterator<AskRecord> | null = null;

  constructor(state: LedgerState, limits: { readonly takeMax: number }) {
    this.#state = state;
    this.#takeMax = limits.takeMax;
  }

  /** A step of the EVM chain. @throws where it does not continue what is there. */
  evm(draft: Draft, change: EvmChange): ChangeSummary {
    const { tips, evmHash } = this.#state;
    const { tip, rewindTo } = change;
    const old = tips.value.evm;
    const oldTip = { height: old.height, hash: evmHash.value };
    const base = checkedBase("EVM", old.height, rewindTo, tip.height);
    const tipCause: CausingBlock = { chain: "evm", height: tip.height, hash: tip.hash };
    if (rewindTo !== null) this.#rewindEvm(draft, rewindTo, tipCause);
    this.#applyEvents(draft, change, base);
    // What is read again after a rewind was not read twice yet (S-08).
    const kept = rewindTo === null ? old.finalHeight : Math.min(old.finalHeight, rewindTo);
    const finalHeight = Math.max(kept, Math.min(change.finalHeight, tip.height));
    this.#applyTrust(draft, change, finalHeight, tipCause);
    const evm = { height: tip.height, time: tip.time, finalHeight, need: old.need };
    draft.assign(tips, { ...tips.value, evm });
    draft.assign(evmHash, tip.hash);
    draft.store(() =>
      tipFact({ chain: "evm", height: tip.height, hash: tip.hash, time: tip.time, finalHeight }),
    );
    return {
      rewind: rewindTo === null ? null : { chain: "evm", toHeight: rewindTo },
      checkpoints: change.checkpoints,
      events: rewindTo === null ? [] : [evmReorgEvent(rewindTo, oldTip, tip)],
      tipCause,
      explained: rewindTo !== null || (change.disputed ?? []).length > 0,
    };
  }

  /** Alarms that an operator has lifted are over: `stored` are the keys of those that are left. */
  liftAlarms(draft: Draft, stored: readonly string[]): ChangeSummary {
    this.#state.books.trust.keepAlarms(new Set(stored), draft);
    return EMPTY_SUMMARY;
  }

  /** A step of the PEARL chain, or facts of older blocks. @throws where it does not continue what is there. */
  pearl(draft: Draft, change: PearlChange): ChangeSummary {
    const { tips, books } = this.#state;
    const { tip, rewindTo } = change;
    const height = tip?.height ?? tips.value.pearl.height;
    checkedBase("PEARL", tips.value.pearl.height, rewindTo, height);
    const tipCause = tip === null ? null : ({ chain: "pearl", height, hash: tip.hash } as const);
    const affected = new AffectedRows(books, draft);
    if (rewindTo !== null) {
      books.locks.rewind(rewindTo, draft, (script) => affected.script(script, tipCause));
    }
    const { causes, turnedAway } = this.#applyBlockFacts(draft, change.facts, height);
    // After the blocks: a bound for outputs in no block must not judge those that blocks hold.
    const sightings = change.sightings.filter((sighting) => !turnedAway.has(outpointOf(sighting)));
    this.#sight(draft, sightings);
    // Spends of outputs that are not kept show nothing, or a rebuild in other steps would know other secrets.
    const secrets = change.secrets.filter(
      ({ shower }) => shower.by === "claim" || !turnedAway.has(shower.outpoint),
    );
    this.#showSecrets(draft, secrets, causes);
    for (const script of change.covered) {
      // From now on the order's actions and verdicts stand (S-62): its row is another one.
      if (books.scripts.cover(script, draft)) affected.script(script, tipCause);
    }
    if (tip !== null) {
      const { time, medianTimePast } = tip;
      draft.assign(tips, { ...tips.value, pearl: { height, time, medianTimePast } });
      draft.store(() => tipFact({ chain: "pearl", height, hash: tip.hash, time, medianTimePast }));
    }
    return {
      rewind: rewindTo === null ? null : { chain: "pearl", toHeight: rewindTo },
      checkpoints: change.checkpoints,
      events: [],
      tipCause,
      explained: rewindTo !== null,
    };
  }

  /** The mempool's picture with what it showed. */
  mempool(
    draft: Draft,
    locks: MempoolLocks,
    sightings: readonly Sighting[],
    secrets: PearlChange["secrets"],
  ): ChangeSummary {
    const affected = new AffectedRows(this.#state.books, draft);
    const onChange = (script: ScriptHex): void => affected.script(script, null);
    this.#sight(draft, sightings);
    const explained = this.#state.books.locks.look(locks, draft, onChange);
    this.#showSecrets(draft, secrets, new Map());
    return { ...EMPTY_SUMMARY, explained };
  }

  /** Records by the API. */
  records(draft: Draft, given: RecordWrites): ChangeSummary {
    const { records, orders } = this.#state.books;
    const affected = new AffectedRows(this.#state.books, draft);
    const takes = given.takes ?? [];
    for (const hash of given.removeTakes ?? []) {
      if (!takes.some(({ dealHash }) => dealHash === hash)) records.removeTake(hash, draft);
    }
    for (const take of takes) {
      const known = records.takes.get(take.dealHash);
      if (known !== undefined && known.createdAt !== take.createdAt) records.renewTake(take, draft);
      else records.putTake(take, draft);
      if (orders.entries.has(take.dealHash)) this.#keepAddresses(draft, take.dealHash);
    }
    for (const ask of given.asks ?? []) {
      records.putAsk(ask, draft);
      affected.ask(ask.askId, null);
    }
    for (const addresses of given.addresses ?? []) records.putAddresses(addresses, draft);
    for (const origin of given.origins ?? []) records.putOrigin(origin, draft);
    return EMPTY_SUMMARY;
  }

  /** Asks that were cancelled or expired seven days ago, and that no order carries, go (S-34): some are looked at. */
  forgetAsks(draft: Draft, { now, expiryNow }: EvaluationContext): ChangeSummary {
    const { records, orders } = this.#state.books;
    const turn = this.#asksInTurn ?? records.asks.values();
    this.#asksInTurn = turn;
    for (let looked = 0; looked < LOOKED_AT_ONCE; looked += 1) {
      const next = turn.next();
      if (next.done === true) {
        this.#asksInTurn = null;
        break;
      }
      const { askId, terms, cancelledBySignature, updatedAt } = next.value;
      if (orders.byAsk.has(askId)) continue;
      const ends = [
        terms.expiry,
        orders.revokedAt(terms.seller, terms.nonce),
        cancelledBySignature ? updatedAt : null,
      ];
      const endedAt = Math.min(...ends.map((end) => end ?? Number.POSITIVE_INFINITY));
      if (endedAt + KEPT_S <= (expiryNow ?? now)) records.removeAsk(askId, draft);
    }
    return EMPTY_SUMMARY;
  }

  /** What time changes between two moments: asks and takes die, takes long dead go, and the oldest beyond the bound. */
  passTime(draft: Draft, before: EvaluationContext, after: EvaluationContext): void {
    const { records } = this.#state.books;
    const affected = new AffectedRows(this.#state.books, draft);
    const [was, now] = [before.expiryNow ?? before.now, after.expiryNow ?? after.now];
    for (const id of records.asksEnding(was, now)) affected.ask(id, null);
    for (const hash of records.takesEnding(was, now)) draft.touch(hash, null);
    const put = new Set(draft.put.filter(({ kind }) => kind === "take").map(({ key }) => key));
    const removed = draft.remove.filter(({ kind, key }) => kind === "take" && !put.has(key));
    const leaving = new Set(removed.map(({ key }) => key as Bytes32));
    for (const hash of records.outdatedTakes(now, this.#takeMax, leaving)) records.removeTake(hash, draft);
  }

  #applyTrust(draft: Draft, change: EvmChange, finalHeight: number, cause: CausingBlock): void {
    const { trust } = this.#state.books;
    trust.settle(finalHeight, draft);
    for (const event of change.disputed ?? []) trust.dispute(event, draft);
    for (const event of change.undisputed ?? []) trust.resolve(event, draft);
    for (const event of [...(change.disputed ?? []), ...(change.undisputed ?? [])]) {
      if ("orderHash" in event) draft.touch(event.orderHash, cause);
    }
    if (change.alarm !== undefined) trust.raise(change.alarm, draft);
  }

  #rewindEvm(draft: Draft, rewindTo: number, cause: CausingBlock): void {
    const { orders, trust } = this.#state.books;
    trust.rewind(rewindTo, draft);
    const affected = new AffectedRows(this.#state.books, draft);
    const said = orders.saidAbove(rewindTo);
    orders.rewind(rewindTo, draft, ({ orderHash, terms }) => affected.order(orderHash, terms, cause));
    for (const seller of said.sellers) affected.asksOf(seller, cause);
    if (said.fee) affected.allAsks(cause);
  }

  #applyEvents(draft: Draft, { events, tip }: EvmChange, base: number): void {
    const { orders, secrets, trust } = this.#state.books;
    const affected = new AffectedRows(this.#state.books, draft);
    for (const event of events) {
      const { place } = event;
      if (place.block <= base || place.block > tip.height) {
        throw new Error(
          `swap ledger: an event of block ${place.block} came with blocks ${base + 1} to ${tip.height}`,
        );
      }
      orders.apply(event, draft);
      trust.add(event, draft);
      // After what it is made of: loading reads scripts before the events that name them.
      draft.store(() => eventFact(event));
      affected.event(event, evmCause(place));
      if (event.kind === "OrderLocked") this.#keepAddresses(draft, event.orderHash);
      if (event.kind !== "OrderClaimed") continue;
      const hashlock = orders.entries.get(event.orderHash)?.facts.terms.hashlock;
      if (hashlock === undefined) continue;
      if (!secrets.fits(hashlock, event.secret)) {
        throw new ImpossibleLog(event, `its secret does not hash to ${hashlock}`);
      }
      const shower = { by: "claim", orderHash: event.orderHash, txHash: place.txHash } as const;
      if (secrets.show(hashlock, event.secret, shower, draft)) affected.hashlock(hashlock, evmCause(place));
    }
  }

  /** An indexed order keeps the addresses of its take for ever (S-55). */
  #keepAddresses(draft: Draft, orderHash: Bytes32): void {
    const { records } = this.#state.books;
    const take = records.takes.get(orderHash);
    if (take === undefined) return;
    const { buyerPearlAddress } = take;
    const addresses = { orderHash, buyerPearlAddress, sellerPearlAddress: null, isBuyerFromTake: true };
    records.putAddresses(addresses, draft);
  }

  /** Remembers sightings, and once per transaction what it spends. */
  #sight(draft: Draft, sightings: readonly Sighting[]): void {
    const { locks } = this.#state.books;
    const affected = new AffectedRows(this.#state.books, draft);
    const onChange = (script: ScriptHex): void => affected.script(script, null);
    for (const sighting of sightings) {
      locks.sight(sighting, draft, onChange);
      if (locks.entries.get(outpointOf(sighting))?.isSighted !== true) continue;
      locks.know(sighting.txid, sighting.inputs, draft, onChange);
    }
  }

  /** Returns the block of every spend, and the outputs that are not kept. */
  #applyBlockFacts(
    draft: Draft,
    facts: readonly PearlBlockFact[],
    tipHeight: number,
  ): { readonly causes: ReadonlyMap<string, CausingBlock>; readonly turnedAway: ReadonlySet<Outpoint> } {
    const { books } = this.#state;
    const affected = new AffectedRows(books, draft);
    const causes = new Map<string, CausingBlock>();
    const turnedAway = new Set<Outpoint>();
    const sorted = facts.toSorted(inOrder);
    for (const fact of sorted) {
      const { height, blockHash } = fact.place;
      if (height > tipHeight) {
        throw new Error(`swap ledger: a fact of PEARL block ${height} came with the tip ${tipHeight}`);
      }
      const cause: CausingBlock = { chain: "pearl", height, hash: blockHash };
      if (fact.kind === "spend") causes.set(`${fact.outpoint}/${fact.txid}`, cause);
      const isWatched = (entry: Parameters<typeof isStillWatched>[1], time: number): boolean =>
        isStillWatched(books, entry, time);
      const isKept = books.locks.apply(fact, draft, isWatched, (script) => affected.script(script, cause));
      if (!isKept && fact.kind === "output") turnedAway.add(outpointOf(fact));
    }
    return { causes, turnedAway };
  }

  #showSecrets(draft: Draft, shown: PearlChange["secrets"], causes: ReadonlyMap<string, CausingBlock>): void {
    const { secrets } = this.#state.books;
    const affected = new AffectedRows(this.#state.books, draft);
    for (const { hashlock, secret, shower } of shown) {
      if (!secrets.show(hashlock, secret, shower, draft)) continue;
      const cause = shower.by === "spend" ? causes.get(`${shower.outpoint}/${shower.txid}`) : undefined;
      affected.hashlock(hashlock, cause ?? null);
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

/** What a change does to the remembered blocks of a chain: those above a height go, others come. */
export function checkpointsOf(
  chain: "evm" | "pearl",
  { rewind, checkpoints }: ChangeSummary,
): [number | null, readonly ChainCheckpoint[]] {
  const own = checkpoints.filter((one) => one.chain === chain);
  return [rewind?.chain === chain ? rewind.toHeight : null, own];
}
