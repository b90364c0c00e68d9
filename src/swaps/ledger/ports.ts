// Ports between ledger, chain followers, API and adapters of the swap service. The ledger is the one owner of swap
// state: followers hand it what they read, the API reads from it.

import type { BlockHash, Bytes32, EvmAddress, Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type {
  ChainTips,
  EscrowEvent,
  OutputSpend,
  PearlBlockFact,
  PreimageFact,
  PreimageShower,
  Sighting,
  Chain,
} from "../../swap/facts.ts";
import type { AddressRecord, AskRecord, OriginRecord, PostedTake } from "../../swap/records.ts";
import type { ClosedAnswer, ClosedBundle, ClosedQuestion, StoredFact } from "./closed-port.ts";

/** What a database of swaps belongs to (S-26): another one is refused at start. */
export interface SwapIdentity {
  readonly network: string;
  readonly chainId: number;
  readonly escrow: EvmAddress;
}

/** A block of either chain that the ledger has seen, for finding forks. `hash` as that chain shows hashes. */
export interface ChainCheckpoint {
  readonly chain: Chain;
  readonly height: number;
  readonly hash: string;
  /** Unix seconds. */
  readonly time: number;
}

/** Checkpoints of each chain that are kept, the newest; a ledger keeps the newest final one besides. */
export const MAX_CHECKPOINTS = 2_000;

/** An event for the stream (H-39, H-47): `data` is the finished JSON text. */
export interface StoredSwapEvent {
  readonly type: "bid" | "ask" | "deal" | "reorg";
  /** The chain whose block caused it, and that block's height; both null where no block did. */
  readonly chain: Chain | null;
  readonly height: number | null;
  /** The order the event is about, for the filter `deal_hash`; null for asks and reorganisations. */
  readonly dealHash: string | null;
  /** Addresses that the filter `address` finds it by. */
  readonly addresses: readonly string[];
  readonly data: string;
}

/** A change of the ledger as other processes are told of it. */
export interface ToldChange {
  /** As change-text.ts writes it; null where that would be far too long: whoever follows reads what is stored. */
  readonly text: string | null;
}

/** One durable transaction of the swap tables: everything or nothing. */
export interface SwapTransaction {
  /** Facts of this chain above this height are deleted first, and its checkpoints. */
  readonly rewind: { readonly chain: Chain; readonly toHeight: number } | null;
  /** Deleted after the rewind and before anything is put. */
  readonly remove: readonly { readonly kind: string; readonly key: string }[];
  /** Inserted; a present (kind, key) is replaced where it stands in the order of loading. */
  readonly put: readonly StoredFact[];
  /** Inserted or replaced. The newest `MAX_CHECKPOINTS` of each chain are kept. */
  readonly checkpoints: readonly ChainCheckpoint[];
  /**
   * Appended to the one event log. Null: more has changed than is told; the log is emptied, so that all get a `reset`.
   */
  readonly events: readonly StoredSwapEvent[] | null;
  /** Bundles whose facts are no longer loaded, and ones whose facts are again. */
  readonly close: readonly ClosedBundle[];
  readonly open: readonly number[];
  /** What ledgers in other processes are told of it; null where nobody follows. */
  readonly told: ToldChange | null;
}

/** A transaction that changes nothing. */
export const NO_CHANGE: SwapTransaction = {
  rewind: null,
  remove: [],
  put: [],
  checkpoints: [],
  events: [],
  close: [],
  open: [],
  told: null,
};

/** A transaction was refused before anything of it was written: what is in memory is still what is stored. */
export class NothingWritten extends Error {
  override readonly name = "NothingWritten";
}

/**
 * Storage of swap facts. Engine-neutral: facts, checkpoints, what finds closed deals, and the shared event log. A wipe
 * of the index (reindex) removes facts of both chains, checkpoints, events, `DERIVED_KINDS` and all that finds closed
 * deals; the identity stays.
 */
export interface SwapStore {
  /** Stores the identity of a new database; rejects where another one is there (S-26). */
  initialise(identity: SwapIdentity): Promise<void>;
  /** Visits every fact that belongs to no closed bundle in the order of its first insertion, then resolves. */
  load(visit: (facts: readonly StoredFact[]) => void): Promise<void>;
  /** All kept checkpoints of a chain, highest first. */
  checkpoints(chain: Chain): Promise<readonly ChainCheckpoint[]>;
  /** Rejects with `NothingWritten` where nothing was written for sure. */
  commit(transaction: SwapTransaction): Promise<void>;
  /** Whether changes are told to other processes: `told` of a transaction. */
  readonly tellsChanges: boolean;
  /** Answers questions about closed deals, all from one state. */
  closed(questions: readonly ClosedQuestion[]): Promise<ClosedAnswer>;
  /** Keys of all stored facts of a kind, as they are now: another process may have removed some (S-05). */
  keys(kind: string): Promise<readonly string[]>;
}

/** Blocks of the EVM chain that are undone. */
export interface EvmRewind {
  /** Last block that stays. */
  readonly toHeight: number;
  /** Where a final block is replaced by this (S-05), else null. */
  readonly alarm: FinalAlarm | null;
}

/** What the second reading of indexed blocks comes to. */
export type EvmJudgement =
  /**
   * Blocks up to `finalHeight`, at or below the tip, are read twice (S-08), and with several RPCs all their events are shown
   * by two but for these, which one shows and another denies: their orders wait (S-07). A lower height than before changes
   * nothing (S-05); only a rewind lowers it.
   */
  | { readonly kind: "raise"; readonly finalHeight: number; readonly events: readonly EscrowEvent[] }
  /** Two RPCs now show these events, which were disputed. */
  | { readonly kind: "resolve"; readonly events: readonly EscrowEvent[] };

/** What the EVM follower read: one step forward or back. */
export interface EvmChange {
  /** What is undone first; null where nothing is. What is read again is not final before it is found so again. */
  readonly rewind: EvmRewind | null;
  /** Ascending by (block, logIndex); all of blocks from the last one that stays to the tip. */
  readonly events: readonly EscrowEvent[];
  /** Blocks worth remembering for finding forks: those with events and the tip. */
  readonly checkpoints: readonly ChainCheckpoint[];
  readonly tip: { readonly height: number; readonly hash: Bytes32; readonly time: number };
  /** Null where blocks were read for the first time. */
  readonly judged: EvmJudgement | null;
}

/** A final block that was replaced (S-05): stored, and standing until an operator lifts it. */
export interface FinalAlarm {
  /** What it is lifted by: a word without spaces. */
  readonly id: string;
  /** Height of the block whose two hashes are known. */
  readonly height: number;
  readonly oldHash: string;
  /** Null where the new chain is not that long. */
  readonly newHash: string | null;
  /** Last block that stayed. */
  readonly forkHeight: number;
  /** Unix seconds. */
  readonly raisedAt: number;
}

/** What older PEARL blocks are read for. */
export type ReadGoal =
  /** Scripts that are not covered (S-53), from block `fromHeight` on: those below are older than `fromTime`, unix seconds. */
  | {
      readonly kind: "scripts";
      readonly scripts: readonly ScriptHex[];
      readonly fromTime: number;
      readonly fromHeight: number;
    }
  /** Blocks that are to be read again, by their notes in `SwapWatch.rereads`. */
  | { readonly kind: "again"; readonly notes: readonly string[] };

/** What the PEARL follower found in blocks. */
interface PearlFindings {
  readonly facts: readonly PearlBlockFact[];
  /** Transactions that hold lock outputs, mined or not: remembered for ever (S-15). */
  readonly sightings: readonly Sighting[];
  readonly secrets: readonly {
    readonly hashlock: Bytes32;
    readonly secret: Bytes32;
    readonly shower: PreimageShower;
  }[];
  readonly checkpoints: readonly ChainCheckpoint[];
  /**
   * Scripts of which these blocks hold outputs below that amount that are not among the facts, being too many (S-15).
   */
  readonly leftOut: readonly (readonly [ScriptHex, bigint])[];
  /** For what all blocks up to the tip are read with this change; null where it completes nothing. */
  readonly reached: ReadGoal | null;
}

/** What the PEARL follower read: a step of the tip, forward or back, or what was found without one. */
export type PearlChange = PearlFindings &
  (
    | {
        /** Last block that stays; null where nothing is undone. */
        readonly rewindTo: number | null;
        readonly tip: {
          readonly height: number;
          readonly hash: BlockHash;
          readonly time: number;
          readonly medianTimePast: number;
        };
      }
    | { readonly rewindTo: null; readonly tip: null }
  );

/** A known lock output. */
export interface WatchedOutput {
  readonly script: WatchedScript;
  /** Below what counts: watched for secrets alone (S-15). */
  readonly isDust: boolean;
}

/** Lock outputs and their spends in the mempool now. Replaces the former picture. */
export interface MempoolLocks {
  /** Transactions in the mempool that have a lock output. */
  readonly present: ReadonlySet<Txid>;
  readonly spends: ReadonlyMap<Outpoint, OutputSpend>;
}

/** A lock script that the PEARL follower looks for, with what a spend of it is classified by. */
export interface WatchedScript {
  readonly script: ScriptHex;
  readonly hashlock: Bytes32;
  readonly buyerKey: Bytes32;
  readonly sellerKey: Bytes32;
  readonly pearlRefundTime: number;
  /** Below it outputs are small, and kept up to a bound (S-15). */
  readonly leastAmountSat: bigint;
}

/** A watched script and how far PEARL blocks are read for it (S-53). */
export interface ScriptEntry extends WatchedScript {
  /** Older blocks count from this time on, unix seconds. */
  readonly fromTime: number;
  /**
   * Covered: the lowest block from which on all up to the tip are read, the one below being older than `fromTime`; 0 where it
   * was not noted. Null while they are not read.
   */
  readonly readFrom: number | null;
  /** Whether outputs below `leastAmountSat` were not kept, being too many (S-15). */
  readonly isCapped: boolean;
}

/** What the PEARL follower looks for. Changes with every commit of the ledger; always asked anew. */
export interface SwapWatch {
  /** The watched script with these bytes, or null. */
  script(script: ScriptHex): WatchedScript | null;
  /** A known lock output (mined, pending or former) that is still watched, or null. */
  lockOutput(outpoint: Outpoint): WatchedOutput | null;
  /** Whether a sighted lock transaction spends this outpoint. */
  isSightedInput(outpoint: Outpoint): boolean;
  /** Known hashlocks, for secrets in any spend of a lock output (S-13). */
  isHashlock(hashlock: Bytes32): boolean;
  /** Scripts whose older blocks are not read yet: `fromTime` = time of the first fact that named it - 7200 s (S-53). */
  uncovered(): readonly { readonly script: WatchedScript; readonly fromTime: number }[];
  /** From which heights on applied blocks must be read again, by the names of the notes that say so. */
  rereads(): ReadonlyMap<string, number>;
  /** Number of watched scripts, closed ones as one; with none a follower need not read blocks at all. */
  readonly size: number;
}

/** The ledger as the followers see it. Every method resolves when the change is durable and visible. */
export interface LedgerWrites {
  /** Rejects with `ImpossibleLog` where an event cannot have followed what is indexed (S-08); then nothing changed. */
  applyEvm(change: EvmChange): Promise<void>;
  applyPearl(change: PearlChange): Promise<void>;
  /**
   * Secrets and sightings that the mempool showed, and the picture itself; made of the one before it where that is to be gone
   * on from. `rereadFrom`: blocks from this height on may have been compared without the sightings, and must be again; null
   * where none were.
   */
  applyMempool(
    locks: MempoolLocks | ((before: MempoolLocks) => MempoolLocks),
    sightings: readonly Sighting[],
    secrets: PearlChange["secrets"],
    rereadFrom?: number | null,
  ): Promise<void>;
  /** Notes that PEARL blocks from this height on must be read again. */
  write(records: Pick<RecordWrites, "rereadFrom">): Promise<void>;
  readonly watch: SwapWatch;
  /** The picture of the mempool that was told last, be it by the process before, with what undone blocks have put into it. */
  readonly mempool: MempoolLocks;
  /**
   * Brings the closed deals that questions find into memory and looks at once, so that nothing leaves in between;
   * resolves with what `look` gives. `hasOpened`: whether any came back. The questions are made when their turn has
   * come: what is in memory then need not be asked for.
   */
  withClosed<Value>(
    questions: () => readonly ClosedQuestion[],
    look: (hasOpened: boolean) => Value,
  ): Promise<Value>;
  /** The public secret of a hashlock, with who showed it; null where none is known. */
  preimageOf(hashlock: Bytes32): PreimageFact | null;
  /** The last applied tips; height -1 before the first. */
  tips(): ChainTips;
  /** Checkpoints of a chain, highest first, for finding a fork. */
  checkpoints(chain: Chain): readonly ChainCheckpoint[];
}

/** The ledger as the EVM follower sees it. */
export interface EvmLedger extends Pick<LedgerWrites, "applyEvm" | "tips" | "checkpoints"> {
  /** Indexed events of blocks `from` to `to` above the final height, ascending by (block, logIndex). */
  unsettled(from: number, to: number): readonly EscrowEvent[];
  /** Events at or below the final height that are disputed (S-07). */
  disputes(): readonly EscrowEvent[];
  /** Replaced final blocks that nobody has lifted yet (S-05). */
  alarms(): readonly FinalAlarm[];
  /** `endName`s of the ends that two EVM RPCs have shown of late; null with one, whose word is believed. */
  shownEnds(): readonly string[] | null;
  /** Notes that, for restarts, too. Resolves when it is durable and visible. */
  applyShownEnds(shown: readonly string[] | null): Promise<void>;
  /** Whether the escrow's owner has paused it, by the indexed blocks. */
  isPaused(): boolean;
}

/** Changes to records by the API. Each resolves when durable and visible. */
export interface RecordWrites {
  readonly asks?: readonly AskRecord[];
  readonly takes?: readonly PostedTake[];
  readonly addresses?: readonly AddressRecord[];
  readonly origins?: readonly OriginRecord[];
  /**
   * PEARL blocks from this height on are read again: for a lock transaction older than its order's first fact (S-53).
   */
  readonly rereadFrom?: number;
}

/** Is called with the orders (and takes) and the asks whose rows may differ. */
export type RowListener = (orders: readonly Bytes32[], asks: readonly Bytes32[]) => void;
