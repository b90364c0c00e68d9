// The port of swap storage on SQLite. Orders go to the one writer thread; reads happen here on a read-only connection.
// Alarms are also read and removed by a command that may run beside the service (S-05): the removal is one short
// transaction, for which the service's writer waits, and the service's ledger sees what is gone.

import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  ChainCheckpoint,
  SwapIdentity,
  SwapStore,
  SwapTransaction,
  FinalAlarm,
} from "../../../swaps/ledger/ports.ts";
import { StoreUnavailable } from "../../../index/ports.ts";
import type { ClosedAnswer, ClosedQuestion, StoredFact } from "../../../swaps/ledger/closed-port.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { type Connection, openPassingReader, openWriter } from "../connection.ts";
import { assertReadable } from "../migrate.ts";
import { isPassing } from "../open-fault.ts";
import type { Writer } from "../write/writer-protocol.ts";
import {
  FACT_COLUMNS,
  readFact,
  standingAlarms,
  storedCheckpoints,
  storedKeys,
} from "../../store-rows/swap-rows.ts";
import { answered } from "../answered.ts";
import { closedIn } from "./closed-deals.ts";
import type { Chain } from "../../../swap/facts.ts";

/** Facts per piece of a load. */
const LOAD_CHUNK = 500;

/** The swap tables of an open database. */
export class SqliteSwapStore implements SwapStore {
  readonly tellsChanges = false;
  readonly #writer: Writer;
  readonly #reader: Connection;
  readonly #file: string;

  /** `file`: of the open database. */
  constructor(writer: Writer, reader: Connection, file: string) {
    this.#writer = writer;
    this.#reader = reader;
    this.#file = file;
  }

  async initialise(identity: SwapIdentity): Promise<void> {
    await this.#writer.send({ kind: "swaps", order: { kind: "initialise", identity } });
  }

  async load(visit: (facts: readonly StoredFact[]) => void): Promise<void> {
    const reader = openPassingReader(this.#file);
    try {
      await visitFacts(reader, visit);
    } finally {
      reader.close();
    }
  }

  async checkpoints(chain: Chain): Promise<readonly ChainCheckpoint[]> {
    return answered(this.#reader, storedCheckpoints(chain));
  }

  closed(questions: readonly ClosedQuestion[]): Promise<ClosedAnswer> {
    return closedIn(this.#reader, questions);
  }

  async keys(kind: string): Promise<readonly string[]> {
    return answered(this.#reader, storedKeys(kind));
  }

  async commit(transaction: SwapTransaction): Promise<void> {
    try {
      await this.#writer.send({ kind: "swaps", order: { kind: "commit", transaction } });
    } catch (cause) {
      if (!isPassing(cause)) throw cause;
      throw new StoreUnavailable("the database takes no writes", { cause });
    }
  }
}

async function visitFacts(reader: Connection, visit: (facts: readonly StoredFact[]) => void): Promise<void> {
  for (let seq = 0; ; ) {
    const rows = reader.all(
      `SELECT seq, ${FACT_COLUMNS} FROM swap_fact INDEXED BY swap_fact_open
         WHERE bundle IS NULL AND seq > ? ORDER BY seq LIMIT ${LOAD_CHUNK}`,
      seq,
    );
    if (rows.length === 0) return;
    const facts = rows.map((row) => {
      const cells = new CellReader(row);
      seq = cells.int();
      return readFact(cells);
    });
    visit(facts);
    await nextTurn();
  }
}

/** The alarms that stand in the database file, oldest first. @throws where it is no database of this program. */
export function storedAlarms(file: string): readonly FinalAlarm[] {
  const reader = openPassingReader(file);
  try {
    assertReadable(reader, file);
    return answered(reader, standingAlarms());
  } finally {
    reader.close();
  }
}

/** Removes the alarm of that id. */
export function removeAlarm(file: string, id: string): void {
  const writer = openWriter(file);
  try {
    writer.transaction(() => writer.run("DELETE FROM swap_fact WHERE kind = 'alarm' AND key = ?", id));
  } finally {
    writer.close();
  }
}
