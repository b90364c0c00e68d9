// The ledger (H-38) of the blocks of a transaction: the changes that operations and closings make, each with what the
// address holds after it. What a block's changes sum to must be what the block says that balances are: otherwise nothing
// of it is written.

import type { BlockChanges } from "../../../prc20/state.ts";
import { kindOf } from "../../store-rows/kinds.ts";
import {
  changeKey,
  type BalanceChange,
  type ReturnedListing,
  effectsOf,
  returned,
  returnedListings,
} from "../../store-rows/ledger-effects.ts";
import type { Amounts } from "../../store-rows/row-shapes.ts";
import type { Session } from "../session.ts";
import type { AddressIds } from "./address-ids.ts";
import {
  amountsOf,
  type BalanceChanges,
  balanceKey,
  type HeldAmounts,
  readBalances,
} from "./balance-changes.ts";
import { RowBatch } from "./row-batch.ts";

/** A change in chain order. */
interface LedgerChange {
  readonly key: number;
  readonly tick: string;
  readonly effects: readonly BalanceChange[];
}

interface Running {
  balance: bigint;
  locked: bigint;
  readonly after: Amounts;
}

const NOTHING: Amounts = { balance: 0n, locked: 0n };

/** Ledger rows of one transaction. */
export class LedgerRowChanges {
  readonly #addresses: AddressIds;
  readonly #balances: BalanceChanges;
  readonly #stored: HeldAmounts;
  readonly #rows = new RowBatch("ledger", {
    address_id: "bigint",
    change_key: "bigint",
    tick: "text",
    balance: "numeric",
    locked: "numeric",
  });

  private constructor(addresses: AddressIds, balances: BalanceChanges, stored: HeldAmounts) {
    this.#addresses = addresses;
    this.#balances = balances;
    this.#stored = stored;
  }

  /**
   * Reads the balances that operations move and that their block says are unchanged: a balance that a block gives back
   * what it took is none of those that it names.
   */
  static async read(
    session: Session,
    addresses: AddressIds,
    balances: BalanceChanges,
    blocks: readonly BlockChanges[],
  ): Promise<LedgerRowChanges> {
    const asked = new Map<string, { readonly id: number; readonly tick: string }>();
    for (const block of blocks) {
      const named = new Set(
        block.balances.map(({ before, after }) => {
          const row = after ?? before;
          return row === null ? "" : balanceKey(addresses.idOf(row.address), row.tick);
        }),
      );
      for (const { tick, effects } of changesOf(block, addresses)) {
        for (const { id } of effects) {
          const key = balanceKey(id, tick);
          if (!named.has(key)) asked.set(key, { id, tick });
        }
      }
    }
    return new LedgerRowChanges(addresses, balances, await readBalances(session, [...asked.values()]));
  }

  /**
   * Takes the changes of a block, whose balances are set already. Throws where they do not lead from its balances
   * before to those after.
   */
  add(block: BlockChanges): void {
    const running = new Map<string, Running>();
    for (const { before, after } of block.balances) {
      const row = after ?? before;
      if (row === null) throw new Error("store: a balance change without rows");
      const start = amountsOf(before) ?? NOTHING;
      running.set(balanceKey(this.#addresses.idOf(row.address), row.tick), {
        balance: start.balance,
        locked: start.locked,
        after: amountsOf(after) ?? NOTHING,
      });
    }
    for (const { key, tick, effects } of changesOf(block, this.#addresses)) {
      for (const { id, balance, locked } of effects) {
        const name = balanceKey(id, tick);
        const now = running.get(name) ?? this.#unchanged(id, tick);
        running.set(name, now);
        now.balance += balance;
        now.locked += locked;
        this.#rows.add(id, key, tick, String(now.balance), String(now.locked));
      }
    }
    for (const [name, { balance, locked, after }] of running) {
      if (balance === after.balance && locked === after.locked) continue;
      throw new Error(
        `store: the operations of block ${block.height} ${block.hash} do not lead to its balance of address ${name}`,
      );
    }
  }

  /** Writes the rows. */
  write(session: Session): Promise<void> {
    return this.#rows.insertById(session);
  }

  #unchanged(id: number, tick: string): Running {
    const set = this.#balances.get(id, tick);
    const now = (set === undefined ? this.#stored.get(balanceKey(id, tick)) : set) ?? NOTHING;
    return { balance: now.balance, locked: now.locked, after: now };
  }
}

/** The changes of a block in chain order; at one place the closing comes before the operation (P-64). */
function* changesOf(block: BlockChanges, addresses: AddressIds): Generator<LedgerChange> {
  const closings = returnedListings(block);
  let next = 0;
  for (const row of block.operations) {
    for (let one = closings[next]; one !== undefined && one.place <= row.place; one = closings[next]) {
      yield closingChange(one, addresses);
      next += 1;
    }
    if (row.amount === null) continue;
    const effects = effectsOf(kindOf(row.op, row.valid), row.amount, {
      from: addresses.idOf(row.from),
      to: addresses.idOrNull(row.to),
      owner: addresses.idOrNull(row.filledOwner),
    });
    yield { key: changeKey(row.place, "operation"), tick: row.tick, effects };
  }
  for (const one of closings.slice(next)) yield closingChange(one, addresses);
}

function closingChange({ listing, place }: ReturnedListing, addresses: AddressIds): LedgerChange {
  const effects = [returned(addresses.idOf(listing.owner), listing.amount)];
  return { key: changeKey(place, "closing"), tick: listing.tick, effects };
}
