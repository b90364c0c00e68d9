// Makes the undo records of the last blocks from the rows of the index: back from the tip, each block's operations and
// ends of listings are taken off what addresses hold, off the tokens and off the totals. Digests and books bind those
// rows; nothing binds an undo record before a reorganisation believes it. So none of a snapshot is believed.

import type { TokenRow, Totals } from "../../../prc20/state.ts";
import type { RawAmount } from "../../../primitives/brands.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { isValidKind, operationOf } from "../../store-rows/kinds.ts";
import { type BalanceChange, effectsOf, returned } from "../../store-rows/ledger-effects.ts";
import type { BlockRow } from "../../store-rows/row-shapes.ts";
import { balanceLine, encodeUndo, type TokenImage } from "../../store-rows/undo-record.ts";
import { storedBlock, storedTip } from "../block-rows.ts";
import type { Connection } from "../connection.ts";
import { answered } from "../answered.ts";
import { storedToken } from "../../store-rows/token-reads.ts";
import { BlockEffects } from "./block-effects.ts";

const OPERATIONS = `SELECT height, kind, tick, coalesce(amount, '0'), from_id, to_id, filled_owner_id FROM op
  WHERE place >= ? AND place < ?`;
const CREATED = "SELECT created_height, tick FROM listing WHERE place >= ? AND place < ?";
const ENDED = `SELECT close_height, tick, state, amount, owner_id, protocol_fee, seller_net, place < ?1 AND exp < close_height - 1
  FROM listing INDEXED BY listing_by_close WHERE close_place >= ?1 AND close_place < ?2`;
const EXPIRING = "SELECT exp, place, close_place FROM listing WHERE exp >= ? AND exp < ?";

/**
 * Replaces all undo records by those of the last `undoBlocks` blocks, as they follow from the other rows. Books and
 * digests must be right already. @throws a sentence where the totals of a block are not those that its rows give.
 */
export function remakeUndo(connection: Connection, undoBlocks: number): void {
  connection.transaction(() => {
    connection.run("DELETE FROM undo");
    let block = storedTip(connection);
    if (block === null) return;
    const walk = new WalkBack(connection, block.height - undoBlocks, block.height);
    for (let left = undoBlocks; left > 0 && block.previousHash !== null; left -= 1) {
      const before = storedBlock(connection, block.height - 1);
      if (before === null) throw new Error(`there is no block ${block.height - 1}`);
      const record = walk.step(block, before);
      connection.run("INSERT INTO undo (height, record) VALUES (?, ?)", block.height, record);
      block = before;
    }
  });
}

/** The index as it was after one block after the other, the newest first. */
class WalkBack {
  readonly #connection: Connection;
  /** By address.id and ticker. */
  readonly #held = new Map<string, { readonly balance: bigint; readonly locked: bigint }>();
  /** How many tickers an address holds. */
  readonly #tickers = new Map<number, number>();
  readonly #tokens = new Map<string, TokenRow>();
  /** Listings that expire after a height, by it. */
  readonly #expiring = new Map<number, { readonly place: number; readonly closePlace: number | null }[]>();

  constructor(connection: Connection, from: number, to: number) {
    this.#connection = connection;
    for (const row of connection.each(EXPIRING, from, to)) {
      const cells = new CellReader(row);
      const [exp, one] = [cells.int(), { place: cells.int(), closePlace: cells.intOrNull() }];
      const known = this.#expiring.get(exp);
      if (known === undefined) this.#expiring.set(exp, [one]);
      else known.push(one);
    }
  }

  /** Takes a block off; its undo record. @throws a sentence where the totals of `before` are not what is left. */
  step(block: BlockRow, before: BlockRow): string {
    const effects = this.#effectsOf(block, before);
    let [lines, holders] = ["", 0];
    for (const { id, tick, change } of effects.changes()) {
      const now = this.#heldNow(id, tick);
      const then = { balance: now.balance - change.balance, locked: now.locked - change.locked };
      if (then.balance < 0n || then.locked < 0n)
        throw new Error(`block ${block.height} takes more of ${tick} than there was`);
      const [has, had] = [isHeld(now), isHeld(then)];
      if (has !== had) {
        effects.of(tick).holders += has ? 1 : -1;
        holders += this.#changeTickers(id, had ? 1 : -1);
      }
      this.#held.set(`${id} ${tick}`, then);
      lines += balanceLine(id, tick, had ? then : null);
    }
    const tokens = [...effects.ticks()].map((tick) => this.#tokenBefore(tick, effects));
    this.#judgeTotals(block, before, effects, block.distinctHolders + holders);
    const { height } = block;
    const [floors, fills] = [this.#ticks("floor", height), this.#ticks("block_fills", height)];
    return encodeUndo({ balances: lines, tokens, floors, fills });
  }

  #effectsOf(block: BlockRow, before: BlockRow): BlockEffects {
    const effects = new BlockEffects();
    const places = [before.totals.nextPlace, block.totals.nextPlace] as const;
    const isOther = (height: number): boolean => height !== block.height;
    for (const row of this.#connection.all(OPERATIONS, ...places)) {
      const cells = new CellReader(row);
      if (isOther(cells.int())) throw misplaced(block);
      const [kind, tick, amount] = [cells.int(), cells.text(), cells.big()];
      const parties = { from: cells.int(), to: cells.intOrNull(), owner: cells.intOrNull() };
      effects.operations += 1;
      if (!isValidKind(kind)) continue;
      effects.valid(operationOf(kind), tick, amount);
      for (const effect of effectsOf(kind, amount, parties)) effects.add(tick, effect);
    }
    for (const row of this.#connection.all(CREATED, ...places)) {
      const cells = new CellReader(row);
      if (isOther(cells.int())) throw misplaced(block);
      effects.of(cells.text()).open += 1;
    }
    for (const row of this.#connection.all(ENDED, ...places)) {
      const cells = new CellReader(row);
      if (isOther(cells.int())) throw misplaced(block);
      const [tick, state, amount, owner] = [cells.text(), cells.int(), cells.big(), cells.int()];
      effects.ended(tick, state, { amount, fee: cells.big(), net: cells.big() });
      if (state > 2) effects.add(tick, returned(owner, amount));
      effects.expired -= cells.intOrNull() === 1 ? 1 : 0;
    }
    const end = block.totals.nextPlace;
    for (const { place, closePlace } of this.#expiring.get(block.height - 1) ?? [])
      effects.expired += place < end && (closePlace === null || closePlace >= end) ? 1 : 0;
    return effects;
  }

  #heldNow(id: number, tick: string): Pick<BalanceChange, "balance" | "locked"> {
    const known = this.#held.get(`${id} ${tick}`);
    if (known !== undefined) return known;
    const sql = "SELECT balance, locked FROM balance WHERE address_id = ? AND tick = ?";
    const cells = new CellReader(this.#connection.first(sql, id, tick) ?? ["0", "0"]);
    return { balance: cells.big(), locked: cells.big() };
  }

  /** Returns the change in the number of addresses that hold anything. */
  #changeTickers(id: number, delta: number): number {
    const row = this.#connection.first("SELECT count(*) FROM balance WHERE address_id = ?", id) ?? [0];
    const now = this.#tickers.get(id) ?? new CellReader(row).int();
    this.#tickers.set(id, now + delta);
    return (now + delta > 0 ? 1 : 0) - (now > 0 ? 1 : 0);
  }

  #tokenBefore(tick: string, effects: BlockEffects): TokenImage {
    const of = effects.of(tick);
    if (of.deployed > 0) return { tick, before: null };
    const now = this.#tokens.get(tick) ?? answered(this.#connection, storedToken(tick));
    if (now === null) throw new Error(`operations name the unknown token ${tick}`);
    const before: TokenRow = {
      ...now,
      minted: (now.minted - of.minted) as RawAmount,
      burned: (now.burned - of.burned) as RawAmount,
      holders: now.holders - of.holders,
      transfers: now.transfers - of.transfers,
      openCount: now.openCount - of.open,
      filledCount: now.filledCount - of.filled,
      cancelledCount: now.cancelledCount - of.cancelled,
      invalidSpentCount: now.invalidSpentCount - of.invalidSpent,
      filledAmount: now.filledAmount - of.filledAmount,
      invalidSpentAmount: now.invalidSpentAmount - of.invalidSpentAmount,
      feePaidSat: now.feePaidSat - of.feePaidSat,
      sellerPaidSat: now.sellerPaidSat - of.sellerPaidSat,
    };
    this.#tokens.set(tick, before);
    return { tick, before };
  }

  #ticks(table: "floor" | "block_fills", height: number): readonly string[] {
    const sql = `SELECT tick FROM ${table} WHERE height = ?`;
    return this.#connection.all(sql, height).map((row) => new CellReader(row).text());
  }

  #judgeTotals(block: BlockRow, before: BlockRow, effects: BlockEffects, distinctHolders: number): void {
    const sums = effects.sums();
    const { totals } = block;
    const left: Totals = {
      eventsTotal: totals.eventsTotal - effects.operations,
      eventsValid: totals.eventsValid - effects.validOperations,
      tokensDeployed: totals.tokensDeployed - sums.deployed,
      listsOpen: totals.listsOpen - sums.open,
      listsFilled: totals.listsFilled - sums.filled,
      listsCancelled: totals.listsCancelled - sums.cancelled,
      listsInvalidSpent: totals.listsInvalidSpent - sums.invalidSpent,
      feePaidSat: totals.feePaidSat - sums.feePaidSat,
      sellerPaidSat: totals.sellerPaidSat - sums.sellerPaidSat,
      nextPlace: before.totals.nextPlace,
    };
    const isRight =
      Object.entries(left).every(([name, value]) => Object(before.totals)[name] === value) &&
      before.distinctHolders === distinctHolders &&
      before.listsExpiredOpen === block.listsExpiredOpen - effects.expired;
    if (!isRight) throw new Error(`the totals of block ${before.height} do not follow from its rows`);
  }
}

function isHeld({ balance, locked }: Pick<BalanceChange, "balance" | "locked">): boolean {
  return balance + locked > 0n;
}

function misplaced({ height }: BlockRow): Error {
  return new Error(`the places of block ${height} hold something of another block`);
}
