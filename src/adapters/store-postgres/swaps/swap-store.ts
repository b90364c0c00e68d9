// The port of swap storage on PostgreSQL. What changes goes to the one writer, each order in one transaction that also
// writes the order's events and tells the change to readers in other processes; reads take a connection of their own.
// Alarms are also read and removed by a command that may run beside the service (S-05): the removal is one short
// transaction, and the service's ledger sees what is gone.

import { randomBytes } from "node:crypto";
import {
  type ChainCheckpoint,
  type FinalAlarm,
  MAX_CHECKPOINTS,
  type StoredSwapEvent,
  type SwapIdentity,
  type SwapStore,
  type SwapTransaction,
} from "../../../swaps/ledger/ports.ts";
import {
  type ClosedAnswer,
  type ClosedQuestion,
  DERIVED_KINDS,
  type StoredFact,
} from "../../../swaps/ledger/closed-port.ts";
import { CellReader } from "../../store-rows/cells.ts";
import {
  assertSameIdentity,
  chainCode,
  EVENTS_PER_GROUP,
  FACT_COLUMNS,
  readFact,
  standingAlarms,
  storedCheckpoints,
  storedIdentity,
  storedKeys,
} from "../../store-rows/swap-rows.ts";
import { answered } from "../answered.ts";
import { markErrand } from "../errands.ts";
import { EventLogEntries } from "../event-log.ts";
import { assertReadable } from "../migrate.ts";
import type { Readers } from "../readers.ts";
import { connectedPatiently, Session } from "../session.ts";
import { RowBatch } from "../write/row-batch.ts";
import type { Writer } from "../write/writer.ts";
import { closeBundles, closedIn, openAll, openBundles } from "./closed-deals.ts";
import { leaveGap, tellChange } from "./swap-changes.ts";
import type { Chain } from "../../../swap/facts.ts";

/** Facts per piece of a load. */
const LOAD_CHUNK = 500;

/** The swap tables of an open database. */
export class PostgresSwapStore implements SwapStore {
  readonly tellsChanges = true;
  readonly #writer: Writer;
  readonly #readers: Readers;

  constructor(writer: Writer, readers: Readers) {
    this.#writer = writer;
    this.#readers = readers;
  }

  initialise(identity: SwapIdentity): Promise<void> {
    return this.#writer.write(async (session) => {
      const found = await answered(session, storedIdentity());
      if (found !== null) return assertSameIdentity(found, identity);
      const { network, chainId, escrow } = identity;
      const sql =
        "INSERT INTO swap_identity (id, network, chain_id, escrow, salt) VALUES (1, $1, $2, $3, $4)";
      await session.run(sql, network, chainId, escrow, randomBytes(32).toString("hex"));
    });
  }

  load(visit: (facts: readonly StoredFact[]) => void): Promise<void> {
    return this.#settled((session) => loadFacts(session, visit));
  }

  checkpoints(chain: Chain): Promise<readonly ChainCheckpoint[]> {
    return this.#settled((session) => answered(session, storedCheckpoints(chain)));
  }

  closed(questions: readonly ClosedQuestion[]): Promise<ClosedAnswer> {
    return this.#readers.snapshot((session) => closedIn(session, questions));
  }

  keys(kind: string): Promise<readonly string[]> {
    return this.#settled((session) => answered(session, storedKeys(kind)));
  }

  commit(transaction: SwapTransaction): Promise<void> {
    return this.#writer.write(async (session) => {
      if ((await answered(session, storedIdentity())) === null)
        throw new Error("store: the swap tables have no identity");
      await markErrand(session);
      if (transaction.rewind !== null) await rewind(session, transaction.rewind);
      await openBundles(session, transaction.open);
      await removeFacts(session, transaction.remove);
      await putFacts(session, transaction.put);
      await closeBundles(session, transaction.close);
      await putCheckpoints(session, transaction.checkpoints);
      if (transaction.events === null) await emptyLog(session);
      else await appendEvents(session, transaction.events);
      if (transaction.told !== null) await tellChange(session, transaction.told);
    });
  }

  /** As that of the index store. */
  async #settled<Value>(read: (session: Session) => Promise<Value>): Promise<Value> {
    await this.#writer.settled();
    return this.#readers.survey(read);
  }
}

/** As `SwapStore.load`. */
export async function loadFacts(
  session: Session,
  visit: (facts: readonly StoredFact[]) => void,
): Promise<void> {
  for (let seq = 0; ; ) {
    const rows = await session.all(
      `SELECT seq, ${FACT_COLUMNS} FROM swap_fact WHERE bundle IS NULL AND seq > $1 ORDER BY seq LIMIT $2`,
      seq,
      LOAD_CHUNK,
    );
    if (rows.length === 0) return;
    const facts = rows.map((row) => {
      const cells = new CellReader(row);
      seq = cells.int();
      return readFact(cells);
    });
    visit(facts);
  }
}

/** What a wipe of the index does to the swap tables: what chains show goes, what no chain shows stays. */
export async function wipeSwaps(session: Session): Promise<void> {
  const sql = "DELETE FROM swap_fact WHERE chain IS NOT NULL OR kind = ANY ($1::text[])";
  await session.run(sql, DERIVED_KINDS);
  await openAll(session);
  await session.exec("DELETE FROM swap_checkpoint; DELETE FROM swap_event");
  await leaveGap(session);
}

async function rewind(
  session: Session,
  { chain, toHeight }: NonNullable<SwapTransaction["rewind"]>,
): Promise<void> {
  const code = chainCode(chain);
  await session.run("DELETE FROM swap_fact WHERE chain = $1 AND height > $2", code, toHeight);
  await session.run("DELETE FROM swap_checkpoint WHERE chain = $1 AND height > $2", code, toHeight);
  await session.run(
    `UPDATE swap_event SET undone = 1
       WHERE chain = $1 AND height > $2 AND chain IS NOT NULL AND undone = 0 AND type <> 'reorg'`,
    code,
    toHeight,
  );
}

async function removeFacts(session: Session, facts: SwapTransaction["remove"]): Promise<void> {
  if (facts.length === 0) return;
  await session.run(
    `DELETE FROM swap_fact USING unnest($1::text[], $2::text[]) AS gone (kind, key)
       WHERE swap_fact.kind = gone.kind AND swap_fact.key = gone.key`,
    facts.map(({ kind }) => kind),
    facts.map(({ key }) => key),
  );
}

/** In the order given: a new fact's number is the next one. Of a fact that is given twice the last counts. */
async function putFacts(session: Session, put: readonly StoredFact[]): Promise<void> {
  const last = new Map<string, StoredFact>();
  for (const fact of put) last.set(`${fact.kind} ${fact.key}`, fact);
  if (last.size === 0) return;
  const facts = [...last.values()];
  await session.run(
    `INSERT INTO swap_fact (kind, key, chain, height, body)
       SELECT kind, key, chain, height, body
         FROM unnest($1::text[], $2::text[], $3::smallint[], $4::bigint[], $5::text[])
           WITH ORDINALITY AS fact (kind, key, chain, height, body, at) ORDER BY at
       ON CONFLICT (kind, key) DO UPDATE SET chain = excluded.chain, height = excluded.height, body = excluded.body`,
    facts.map(({ kind }) => kind),
    facts.map(({ key }) => key),
    facts.map(({ chain }) => chainCode(chain)),
    facts.map(({ height }) => height),
    facts.map(({ body }) => body),
  );
}

async function putCheckpoints(session: Session, checkpoints: readonly ChainCheckpoint[]): Promise<void> {
  const rows = new RowBatch("swap_checkpoint", {
    chain: "smallint",
    height: "bigint",
    hash: "text",
    time: "bigint",
  });
  const last = new Map(checkpoints.map((one) => [`${one.chain} ${one.height}`, one]));
  for (const { chain, height, hash, time } of last.values()) rows.add(chainCode(chain), height, hash, time);
  await rows.upsert(session, ["chain", "height"]);
  for (const chain of new Set(checkpoints.map((one) => chainCode(one.chain)))) {
    await session.run(
      `DELETE FROM swap_checkpoint WHERE chain = $1 AND height <= (SELECT height FROM swap_checkpoint
         WHERE chain = $1 ORDER BY height DESC LIMIT 1 OFFSET ${MAX_CHECKPOINTS})`,
      chain,
    );
  }
}

async function appendEvents(session: Session, events: readonly StoredSwapEvent[]): Promise<void> {
  if (events.length === 0) return;
  const log = await EventLogEntries.read(session);
  const rows = new RowBatch("swap_event", {
    id: "bigint",
    type: "text",
    chain: "smallint",
    height: "bigint",
    undone: "smallint",
    deal_hash: "text",
    addresses: "text",
    data: "text",
  });
  for (let start = 0; start < events.length; start += EVENTS_PER_GROUP) {
    const group = events.slice(start, start + EVENTS_PER_GROUP);
    for (const [index, { type, chain, height, dealHash, addresses, data }] of group.entries()) {
      const id = log.lastId + 1 + index;
      rows.add(id, type, chainCode(chain), height, 0, dealHash, JSON.stringify(addresses), data);
    }
    log.addSwaps(group.length);
  }
  await rows.insert(session);
  await log.write(session);
}

async function emptyLog(session: Session): Promise<void> {
  await session.exec("DELETE FROM event_log; DELETE FROM swap_event");
  const log = await EventLogEntries.read(session);
  log.skipOne();
  await log.write(session);
}

/** The alarms that stand, oldest first. Rejects where there is no database of this program at `url`. */
export function postgresAlarms(url: string): Promise<readonly FinalAlarm[]> {
  return beside(url, (session) => answered(session, standingAlarms()));
}

/** Removes the alarm of that id. */
export function removePostgresAlarm(url: string, id: string): Promise<void> {
  return beside(url, async (session) => {
    await session.run("DELETE FROM swap_fact WHERE kind = 'alarm' AND key = $1", id);
  });
}

async function beside<Value>(url: string, work: (session: Session) => Promise<Value>): Promise<Value> {
  const session = await connectedPatiently(() => Session.open(url, "strand alarms"));
  try {
    await assertReadable(session);
    return await work(session);
  } finally {
    await session.close();
  }
}
