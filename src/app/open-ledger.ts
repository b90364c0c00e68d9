// Opens the ledger of swaps together with readiness. Each needs the other, and readiness needs the followers, which need
// the ledger: the ledger tells rows as they are in the context of readiness, readiness is judged by the standings of the
// followers, and the followers write to the ledger. Until they exist nobody has been asked, and nothing is ready. And what
// reads are made of over both, in every process that answers.

import { Deposed } from "../adapters/store-postgres/write/writer.ts";
import { withSteadyHeap } from "../adapters/system/steady-heap.ts";
import { openWindowHasher } from "../adapters/system/sha256-lanes.ts";
import { swapCrypto } from "../adapters/system/swap-crypto.ts";
import { sentenceOf } from "../follow/follower-errors.ts";
import type { Clock, Log } from "../follow/ports.ts";
import { StoreUnavailable } from "../index/ports.ts";
import type { IndexQueries } from "../index/queries.ts";
import { addressOfKey } from "../primitives/address.ts";
import type { BlockHash, Txid } from "../primitives/brands.ts";
import type { SwapRules } from "../swap/subject.ts";
import { MAX_AHEAD_S } from "../swaps/evm/evm-cross-check.ts";
import type { ClosingBounds } from "../swaps/ledger/closing.ts";
import { SwapLedger } from "../swaps/ledger/ledger.ts";
import type { SwapLedgerDependencies } from "../swaps/ledger/ledger-commits.ts";
import { claimFirstBlock } from "../swaps/ledger/first-block.ts";
import type { SwapIdentity, SwapStore } from "../swaps/ledger/ports.ts";
import type { EvmStanding, PearlStanding } from "../swaps/standings.ts";
import type { PearlLookups } from "../swaps/lookup-ports.ts";
import { SwapReadiness } from "../swaps/readiness.ts";
import { AskIndex } from "../swaps/usecases/ask-index.ts";
import { PublicValues } from "../swaps/usecases/secret-guard.ts";
import type { SwapReadDependencies } from "../swaps/usecases/swap-reads.ts";
import { CommandRefused } from "./cli/ending.ts";
import type { Config } from "./config/config.ts";
import type { SwapConfig } from "./config/read-swaps.ts";

/** Mean PEARL block interval above which margins do not hold (S-02), seconds. */
const MAX_BLOCK_INTERVAL_S = 300;
/** A side that was silent for longer is unavailable (S-62), seconds. */
const ANSWER_WITHIN_S = 30;

/** Standings before the followers have asked anybody. */
export const UNKNOWN_EVM: EvmStanding = {
  headHeight: -1,
  headTime: 0,
  answeredAtMonotonicMs: null,
  headChangedAtMonotonicMs: null,
  agreed: false,
  finalReplaced: false,
};
/** The same of PEARL. */
export const UNKNOWN_PEARL: PearlStanding = {
  nodeHeight: -1,
  fork: null,
  nodeTipTime: 0,
  answeredAtMonotonicMs: null,
  tipChangedAtMonotonicMs: null,
  lackingSinceMonotonicMs: null,
  connections: null,
  blockIntervalS: null,
  witnesses: [],
  applied: null,
  isMempoolRead: false,
  nodes: { configured: 1, answering: 0, agreeing: 0 },
};

/**
 * When a deal leaves the writer's memory (docs/decisions/0041): a day after its end on both chains, and 144 PEARL blocks
 * beyond every depth that a rule names. What was looked for stays ten minutes.
 */
const CLOSING: ClosingBounds = { afterS: 86_400, pearlBlocks: 144, heldMs: 600_000 };

/** What the ledger is opened with. */
interface LedgerFoundation {
  readonly config: Config;
  readonly swaps: SwapConfig;
  readonly store: SwapStore;
  readonly log: Log;
  readonly clock: Clock;
}

/** What the followers say of their chains, without asking anybody. */
interface FollowedChains {
  readonly evm: { standing(): EvmStanding };
  readonly pearl: { standing(): PearlStanding };
}

/** The settings as rules need them. */
export function rulesOf(config: Config, swaps: SwapConfig): SwapRules {
  return {
    ...swaps.profiles,
    smallDealUsdc: swaps.smallDealUsdc,
    deltaS: swaps.deltaS,
    hrp: config.network.hrp,
    chainId: swaps.chainId,
    escrow: swaps.escrow,
  };
}

/** What a database of swaps with these settings belongs to (S-26). */
export function identityOf({ network }: Config, { chainId, escrow }: SwapConfig): SwapIdentity {
  return { network: network.name, chainId, escrow };
}

/** A ledger with its rules, and the readiness in whose context it tells rows. */
export interface ReadyLedger {
  readonly rules: SwapRules;
  readonly ledger: SwapLedger;
  readonly readiness: SwapReadiness;
}

/**
 * Opens a ledger with its readiness, which is judged by what is `known` of both chains. `role`: what tells a ledger that
 * writes from one that follows it. Rejects as `SwapLedger.open`.
 */
export async function openReadyLedger(
  { config, swaps, store, log, clock }: LedgerFoundation,
  known: { evm(): EvmStanding; pearl(): PearlStanding },
  role: Pick<SwapLedgerDependencies, "closing" | "caughtUp">,
): Promise<ReadyLedger> {
  const limits = {
    ...swaps.limits,
    maxAheadS: swaps.isPlay ? null : MAX_AHEAD_S,
    blockIntervalS: MAX_BLOCK_INTERVAL_S,
    answerWithinS: ANSWER_WITHIN_S,
  };
  // A ledger that opens says of which tips it wants the context.
  const own = {
    tips: () => ledger.tips(),
    // Asked for once other nodes are known, which is when it is open.
    pearlBlocks: () => ledger.checkpoints("pearl"),
  };
  const rules = rulesOf(config, swaps);
  const readiness = new SwapReadiness({ ...known, ...own, clock }, limits);
  const ledger: SwapLedger = await SwapLedger.open({
    store,
    identity: identityOf(config, swaps),
    crypto: swapCrypto,
    rules,
    clock,
    log,
    evmConfirmations: swaps.confirmations === "finalized" ? null : swaps.confirmations,
    takeMax: swaps.takeMax,
    contextOf: (tips) => readiness.context(tips),
    ...role,
  });
  ledger.onRows(() => readiness.tick());
  return { rules, ledger, readiness };
}

/** Refuses a database that lacks blocks which are to be read: who lowers the first block would wait for orders in vain. */
async function refuseMissed(
  { store, swaps: { firstBlock } }: LedgerFoundation,
  ledger: SwapLedger,
): Promise<void> {
  const readFrom = await claimFirstBlock(store, firstBlock, ledger.tips().evm.height >= 0);
  if (readFrom === null) return;
  throw new CommandRefused([
    `ESCROW_FIRST_BLOCK is ${firstBlock}, and the EVM chain was read from block ${readFrom} on: orders before are missing. ` +
      "With the service stopped run `./bin/strand reindex`, after which all is read, or set ESCROW_FIRST_BLOCK back",
  ]);
}

/** The ledger, readiness and the followers, each of which has what it needs of the others. */
interface OpenedLedger<Followers> extends ReadyLedger {
  readonly followers: Followers;
}

/**
 * Opens the ledger and readiness and builds the followers over the ledger with `follow`. Nothing runs yet.
 * @throws CommandRefused where the database belongs to another escrow (S-26), lacks blocks of it or cannot be read.
 */
export async function openLedger<Followers extends FollowedChains>(
  foundation: LedgerFoundation,
  follow: (ledger: SwapLedger, isEvmIndexed: () => boolean) => Followers,
): Promise<OpenedLedger<Followers>> {
  // The rows that the ledger evaluates while it opens are those of a service that has asked nobody.
  let followers: Followers | null = null;
  const known = {
    evm: () => followers?.evm.standing() ?? UNKNOWN_EVM,
    pearl: () => followers?.pearl.standing() ?? UNKNOWN_PEARL,
  };
  const opening = withSteadyHeap(() => openReadyLedger(foundation, known, { closing: CLOSING }));
  const opened = await opening.catch((cause: unknown) => {
    // The database may be back in a moment, or another process writes it now: a refusal ends whoever would wait for his turn.
    if (cause instanceof StoreUnavailable || cause instanceof Deposed) throw cause;
    throw new CommandRefused([`swaps cannot use this database: ${sentenceOf(cause)}`], { cause });
  });
  await refuseMissed(foundation, opened.ledger);
  followers = follow(opened.ledger, () => opened.readiness.isEvmIndexed());
  return { ...opened, followers };
}

/** What tells reads of more than the ledger knows. */
interface BesideLedger {
  readonly queries: IndexQueries;
  /** The operator's own node, which is asked whether a value is public (S-66, A-162). */
  readonly ownNode: Pick<PearlLookups, "transaction" | "isBlock">;
  readonly escrow: SwapReadDependencies["escrow"];
  readonly clock: Clock;
}

/** What reads of swaps are made of, over a ledger that writes or one that follows. */
export function readsOver(
  { rules, ledger, readiness }: ReadyLedger,
  swaps: SwapConfig,
  { queries, ownNode, escrow, clock }: BesideLedger,
): SwapReadDependencies {
  return {
    ledger,
    readiness,
    rules,
    limits: swaps,
    escrow,
    crypto: swapCrypto,
    publicValues: new PublicValues({ isIndexed: indexedIds(queries, rules.hrp), ownNode }, clock),
    hashWindows: openWindowHasher(),
    asks: new AskIndex({ ledger, context: () => readiness.context() }),
    clock,
  };
}

/**
 * Tells whether a transaction of this id, a block of this hash, or a history of the address with this output key is indexed
 * (S-66).
 */
function indexedIds(
  queries: Pick<IndexQueries, "operationsOf" | "operations" | "block">,
  hrp: string,
): (digits: string) => Promise<boolean> {
  return async (digits) => {
    const { value: operations } = await queries.operationsOf(digits as Txid, null, { after: -1, limit: 1 });
    if (operations.length > 0) return true;
    const { value: block } = await queries.block(digits as BlockHash);
    if (block !== null) return true;
    const address = addressOfKey(digits, hrp);
    const { value: history } = await queries.operations({ address }, { limit: 1, start: null });
    return history.rows.length > 0;
  };
}
