// Changes the swap tables. Each order is one transaction that also writes the order's events. Runs in the writer
// thread.

import { randomBytes } from "node:crypto";
import {
  type ChainCheckpoint,
  MAX_CHECKPOINTS,
  type StoredSwapEvent,
  type SwapIdentity,
  type SwapTransaction,
} from "../../../swaps/ledger/ports.ts";
import { DERIVED_KINDS, type StoredFact } from "../../../swaps/ledger/closed-port.ts";
import type { Connection } from "../connection.ts";
import { lastEventId, logSwaps, storeLastEventId, trimLog } from "../event-log.ts";
import {
  assertSameIdentity,
  chainCode,
  EVENTS_PER_GROUP,
  storedIdentity,
} from "../../store-rows/swap-rows.ts";
import { CLOSED_TABLES } from "../../store-rows/closed-cells.ts";
import { closeBundles, openBundles } from "./closed-deals.ts";
import { answered } from "../answered.ts";
import type { Chain } from "../../../swap/facts.ts";

/** An order to the writer thread about swaps. */
export type SwapOrder =
  | { readonly kind: "initialise"; readonly identity: SwapIdentity }
  | { readonly kind: "commit"; readonly transaction: SwapTransaction };

/** The writer of the swap tables. */
export class SwapWriter {
  readonly #connection: Connection;

  /** `connection` is at the present schema. */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Carries out one order in one transaction; throws, changing nothing, where it cannot. */
  carryOut(order: SwapOrder): void {
    this.#connection.transaction(() => {
      if (order.kind === "initialise") this.#initialise(order.identity);
      else this.#commit(order.transaction);
    });
  }

  /**
   * What a wipe of the index does to the swap tables, in its transaction: what chains show goes, what no chain shows stays.
   */
  wipe(): void {
    const kinds = DERIVED_KINDS.map(() => "?").join(", ");
    this.#connection.run(
      `DELETE FROM swap_fact WHERE chain IS NOT NULL OR kind IN (${kinds})`,
      ...DERIVED_KINDS,
    );
    this.#connection.exec("UPDATE swap_fact SET bundle = NULL WHERE bundle IS NOT NULL");
    for (const table of CLOSED_TABLES) this.#connection.exec(`DELETE FROM ${table}`);
    this.#connection.run("DELETE FROM swap_checkpoint");
    this.#connection.run("DELETE FROM swap_event");
  }

  #initialise(identity: SwapIdentity): void {
    const found = answered(this.#connection, storedIdentity());
    if (found !== null) return assertSameIdentity(found, identity);
    this.#connection.run(
      "INSERT INTO swap_identity (id, network, chain_id, escrow, salt) VALUES (1, ?, ?, ?, ?)",
      identity.network,
      identity.chainId,
      identity.escrow,
      randomBytes(32).toString("hex"),
    );
  }

  #commit(transaction: SwapTransaction): void {
    if (answered(this.#connection, storedIdentity()) === null)
      throw new Error("store: the swap tables have no identity");
    if (transaction.rewind !== null) this.#rewind(transaction.rewind);
    openBundles(this.#connection, transaction.open);
    for (const { kind, key } of transaction.remove) {
      this.#connection.run("DELETE FROM swap_fact WHERE kind = ? AND key = ?", kind, key);
    }
    for (const fact of transaction.put) this.#put(fact);
    closeBundles(this.#connection, transaction.close);
    this.#putCheckpoints(transaction.checkpoints);
    if (transaction.events === null) this.#emptyLog();
    else this.#append(transaction.events);
  }

  #rewind({ chain, toHeight }: NonNullable<SwapTransaction["rewind"]>): void {
    const code = chainCode(chain);
    this.#connection.run("DELETE FROM swap_fact WHERE chain = ? AND height > ?", code, toHeight);
    this.#connection.run("DELETE FROM swap_checkpoint WHERE chain = ? AND height > ?", code, toHeight);
    undoSwapEvents(this.#connection, chain, toHeight);
  }

  #put({ kind, key, chain, height, body }: StoredFact): void {
    this.#connection.run(
      `INSERT INTO swap_fact (kind, key, chain, height, body) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (kind, key) DO UPDATE SET chain = excluded.chain, height = excluded.height,
           body = excluded.body`,
      kind,
      key,
      chainCode(chain),
      height,
      body,
    );
  }

  #putCheckpoints(checkpoints: readonly ChainCheckpoint[]): void {
    const chains = new Set<Chain>();
    for (const { chain, height, hash, time } of checkpoints) {
      chains.add(chain);
      this.#connection.run(
        "INSERT OR REPLACE INTO swap_checkpoint (chain, height, hash, time) VALUES (?, ?, ?, ?)",
        chainCode(chain),
        height,
        hash,
        time,
      );
    }
    for (const chain of chains) {
      this.#connection.run(
        `DELETE FROM swap_checkpoint WHERE chain = ?1 AND height <= (SELECT height FROM swap_checkpoint
           WHERE chain = ?1 ORDER BY height DESC LIMIT 1 OFFSET ?2)`,
        chainCode(chain),
        MAX_CHECKPOINTS,
      );
    }
  }

  #append(events: readonly StoredSwapEvent[]): void {
    if (events.length === 0) return;
    const before = lastEventId(this.#connection);
    let id = before;
    for (let start = 0; start < events.length; start += EVENTS_PER_GROUP) {
      const group = events.slice(start, start + EVENTS_PER_GROUP);
      for (const [index, event] of group.entries()) insertSwapEvent(this.#connection, id + 1 + index, event);
      id = logSwaps(this.#connection, id, group.length);
    }
    storeLastEventId(this.#connection, id);
    trimLog(this.#connection, before, id);
  }

  /** The last id given grows by one, so that a client that has the one before sees that events are missing. */
  #emptyLog(): void {
    this.#connection.run("DELETE FROM event_log");
    this.#connection.run("DELETE FROM swap_event");
    storeLastEventId(this.#connection, lastEventId(this.#connection) + 1);
  }
}

/** Writes an event under its id. */
function insertSwapEvent(connection: Connection, id: number, event: StoredSwapEvent): void {
  connection.run(
    `INSERT INTO swap_event (id, type, chain, height, undone, deal_hash, addresses, data)
       VALUES (?, ?, ?, ?, 0, ?, ?, ?)`,
    id,
    event.type,
    chainCode(event.chain),
    event.height,
    event.dealHash,
    JSON.stringify(event.addresses),
    event.data,
  );
}

/** Marks the events of blocks of a chain above a height as undone. */
function undoSwapEvents(connection: Connection, chain: Chain, height: number): void {
  connection.run(
    "UPDATE swap_event SET undone = 1 WHERE chain = ? AND height > ? AND undone = 0 AND type <> 'reorg'",
    chainCode(chain),
    height,
  );
}
