// An index as `verify` looks at it: over a connection of its own that takes no lock, beside the service that writes it,
// and in one committed state where that matters.

import type { StoredParameters } from "../../../index/ports.ts";
import type { IndexedBlock, IndexUnderTest, LongStep } from "../../../index/verify.ts";
import { compareIndexes, findings, type IndexRows } from "../../store-rows/compare-rows.ts";
import { BLOCK_COLUMNS, readBlockRow } from "../../store-rows/row-shapes.ts";
import { auditSteps } from "../audit/audit.ts";
import { rowsOf } from "../audit/dump.ts";
import { storedTip } from "../block-rows.ts";
import { assertReadable } from "../migrate.ts";
import { storedParameters } from "../../store-rows/parameters.ts";
import { answered } from "../answered.ts";
import { schemaDifferences } from "../schema-differences.ts";
import { connectedPatiently, Session } from "../session.ts";

const BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/** Opens the rows of a replay, a database of the other engine. */
export type OpenReplay = (file: string) => { readonly rows: IndexRows; close(): void };

/**
 * Opens an index to be read. Rejects with a sentence where there is none, or one of another schema, and with
 * `StoreUnavailable` where the server does not let us in.
 */
export async function openIndexReader(url: string, openReplay: OpenReplay): Promise<IndexUnderTest> {
  const session = await connectedPatiently(() => Session.open(url, "strand verify"));
  try {
    await assertReadable(session);
    // Rows are sorted and checks made over whole tables: a statement takes as long as it takes.
    await session.beginLongWork();
    return new IndexReader(url, session, openReplay);
  } catch (error) {
    await session.close();
    throw error;
  }
}

class IndexReader implements IndexUnderTest {
  readonly #url: string;
  readonly #session: Session;
  readonly #openReplay: OpenReplay;

  constructor(url: string, session: Session, openReplay: OpenReplay) {
    this.#url = url;
    this.#session = session;
    this.#openReplay = openReplay;
  }

  parameters(): Promise<StoredParameters | null> {
    return answered(this.#session, storedParameters());
  }

  tip(): Promise<IndexedBlock | null> {
    return storedTip(this.#session);
  }

  async blocks(from: number, count: number): Promise<readonly IndexedBlock[]> {
    const sql = `SELECT ${BLOCK_COLUMNS} FROM block WHERE height >= $1 AND height < $2 ORDER BY height`;
    return (await this.#session.all(sql, from, from + count)).map(readBlockRow);
  }

  async pin(): Promise<void> {
    await this.#session.exec(BEGIN);
    // The transaction has its state from the first read on.
    await storedTip(this.#session);
  }

  release(): Promise<void> {
    return this.#session.exec("ROLLBACK");
  }

  async *audit(): AsyncGenerator<LongStep, void, void> {
    yield* findings(await schemaDifferences(this.#url));
    yield* auditSteps(this.#session);
  }

  async *differencesFrom(replay: string): AsyncGenerator<LongStep, void, void> {
    const right = this.#openReplay(replay);
    try {
      yield* compareIndexes(rowsOf(this.#session), right.rows);
    } finally {
      right.close();
    }
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
