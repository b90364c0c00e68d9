// An index in a PostgreSQL database as its readers see it: they write nothing but errands, may stand before a streaming
// replica, and learn by looking what the writer has done.

import type { StoredParameters } from "../../index/ports.ts";
import type { IndexQueries } from "../../index/queries.ts";
import type { ClosedAnswer, ClosedQuestion, StoredFact } from "../../swaps/ledger/closed-port.ts";
import type { ChainCheckpoint, SwapIdentity } from "../../swaps/ledger/ports.ts";
import { CellReader } from "../store-rows/cells.ts";
import { storedTip } from "./block-rows.ts";
import { type ErrandOutcome, ErrandSender } from "./errands.ts";
import { logBounds } from "../store-rows/event-reads.ts";
import { answered } from "./answered.ts";
import { type LiveChanges, liveChanges } from "./live-rows.ts";
import { assertReadable } from "./migrate.ts";
import { Notices } from "./notices.ts";
import { storedParameters } from "../store-rows/parameters.ts";
import { postgresQueries } from "./read/queries.ts";
import { Readers } from "./readers.ts";
import type { Session } from "./session.ts";
import {
  type ChangeMark,
  changesBehind,
  type FollowedChange,
  newestChange,
  newestNumber,
} from "./swaps/swap-changes.ts";
import { closedIn } from "./swaps/closed-deals.ts";
import { storedCheckpoints, storedIdentity } from "../store-rows/swap-rows.ts";
import { loadFacts } from "./swaps/swap-store.ts";
import { writerFence } from "./write/writer.ts";
import type { Chain } from "../../swap/facts.ts";

/** How far a reader has read. */
export interface ReaderMark {
  /** Of the live rows; 0: none. */
  readonly live: number;
  /** Number of the writer that told them; null: none was seen yet. Another one may have begun with fewer of them. */
  readonly fence: number | null;
  /** Of the changes of swaps; null: they are not followed. */
  readonly change: ChangeMark | null;
}

/** One look at the database: everything is of one committed state. */
export interface ReaderLook {
  /** What tells states apart: another block, or another event. */
  readonly state: string;
  /** The highest event id of that state. */
  readonly highestEvent: number;
  /** What the database is built with; null where it was wiped. */
  readonly parameters: StoredParameters | null;
  readonly fence: number;
  readonly live: LiveChanges;
  /**
   * For how long the server has lacked what its primary has, in milliseconds, by the clocks of both: below 0 where its own is
   * behind. 0 where it is no streaming replica, and infinite where it is one that does not know.
   */
  readonly behindMs: number;
  /** The next changes of swaps; null where there is a gap, or where they are not followed. */
  readonly changes: readonly FollowedChange[] | null;
  /** Number of the newest change of swaps in that state; 0 where there is none, or where they are not followed. */
  readonly newestChange: number;
}

/** What a ledger in this process begins with: one committed state. */
export interface StoredSwaps {
  readonly identity: SwapIdentity | null;
  readonly facts: readonly StoredFact[];
  readonly checkpoints: Readonly<Record<Chain, readonly ChainCheckpoint[]>>;
  /** The change that all of this is of. */
  readonly change: ChangeMark;
}

/** The index and the swaps, to be read. */
export interface OpenedPostgresReader {
  readonly queries: IndexQueries;
  /** Null where nothing has written the database yet. */
  parameters(): Promise<StoredParameters | null>;
  /** Rejects with `OtherSchema` where a writer of another version has changed the schema: its rows mean something else. */
  look(since: ReaderMark): Promise<ReaderLook>;
  /** Rejects as `look` does. */
  storedSwaps(): Promise<StoredSwaps>;
  /** As `SwapStore.closed`. */
  closedSwaps(questions: readonly ClosedQuestion[]): Promise<ClosedAnswer>;
  /** Asks the writer. Does not reject. */
  ask(question: string): Promise<ErrandOutcome>;
  close(): Promise<void>;
}

/** Where a reader reads. */
interface ReaderOptions {
  /** The database, or a streaming replica of it. */
  readonly url: string;
  /** The database itself, where errands can be written. */
  readonly primaryUrl: string;
  /** Called when there may be something new. */
  readonly onNotice: () => void;
}

/** Opens the index database to read from it; connects when it is asked first. */
export function openPostgresReader({ url, primaryUrl, onNotice }: ReaderOptions): OpenedPostgresReader {
  const readers = new Readers(url);
  const errands = new ErrandSender(primaryUrl);
  // A replica tells nothing, but its primary does, and mostly in time.
  const notices = new Notices(primaryUrl, ["state", "answer"], (notice) => {
    if (notice === "state") onNotice();
    else errands.lookSoon();
  });
  return {
    queries: postgresQueries(readers),
    parameters: () => readers.snapshot((session) => answered(session, storedParameters())),
    look: (since) => readers.snapshot((session) => lookAt(session, since)),
    closedSwaps: (questions) => readers.snapshot((session) => closedIn(session, questions)),
    storedSwaps: () => readers.survey(storedSwaps),
    ask: (question) => errands.ask(question),
    close: async () => {
      await Promise.all([notices.close(), errands.close(), readers.close()]);
    },
  };
}

/**
 * By the time at which the primary committed what the replica has replayed last: while there is a writer that is a second
 * ago at most. NULL from a replica that has replayed no commit since it was started: what it has may be of any age, and
 * news to whoever looked last before that start.
 */
const BEHIND = `SELECT CASE WHEN pg_is_in_recovery()
  THEN (extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::bigint ELSE 0 END`;

async function lookAt(session: Session, { live, fence, change }: ReaderMark): Promise<ReaderLook> {
  // It comes first: what a replica replays after the snapshot is taken is not in it, and may be of a whole minute.
  const [behind] = await Promise.all([session.first(BEHIND), assertReadable(session)]);
  const [tip, parameters, bounds, number, rows, changes, newest] = await Promise.all([
    storedTip(session),
    answered(session, storedParameters()),
    answered(session, logBounds()),
    writerFence(session),
    liveChanges(session, live),
    change === null ? null : changesBehind(session, change),
    change === null ? 0 : newestNumber(session),
  ]);
  const isOther = fence !== null && fence !== number && !rows.isWhole;
  return {
    state: `${tip?.hash ?? ""} ${bounds.highest}`,
    highestEvent: bounds.highest,
    parameters,
    fence: number,
    live: isOther ? await liveChanges(session, 0) : rows,
    behindMs: behind === null ? 0 : (new CellReader(behind).intOrNull() ?? Number.POSITIVE_INFINITY),
    changes,
    newestChange: newest,
  };
}

async function storedSwaps(session: Session): Promise<StoredSwaps> {
  await assertReadable(session);
  const facts: StoredFact[] = [];
  const identity = await answered(session, storedIdentity());
  await loadFacts(session, (some) => facts.push(...some));
  return {
    identity,
    facts,
    checkpoints: {
      evm: await answered(session, storedCheckpoints("evm")),
      pearl: await answered(session, storedCheckpoints("pearl")),
    },
    change: await newestChange(session),
  };
}
