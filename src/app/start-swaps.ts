// Composition of the swap service: ledger, followers of both chains, look-ups and use cases, and the loops that keep them
// going.

import { openBlockbookBalance } from "../adapters/blockbook/blockbook-balance.ts";
import type { SeveralNodes } from "../adapters/pearl-node/followed-clients.ts";
import { sha256d } from "../adapters/system/hashes.ts";
import { verifySchnorr } from "../adapters/system/schnorr.ts";
import { recoverSigner, swapCrypto } from "../adapters/system/swap-crypto.ts";
import type { Condition } from "../follow/conditions.ts";
import type { MempoolListener } from "../follow/mempool-watch.ts";
import type { FollowedNode } from "../follow/pearl-nodes.ts";
import type { Log } from "../follow/ports.ts";
import type { EvmStatus } from "../follow/serving.ts";
import type { RecentBodies } from "../follow/recent-bodies.ts";
import type { IndexingContext } from "../index/index-block.ts";
import type { IndexQueries } from "../index/queries.ts";
import { escrowDigests } from "../swap/eip712.ts";
import type { ChainTips } from "../swap/facts.ts";
import type { EvmChain } from "../swaps/evm/evm-chain.ts";
import { EvmFollower } from "../swaps/evm/evm-follower.ts";
import { EVM_FOLLOWER_DEFAULTS } from "../swaps/evm/evm-options.ts";
import { confirmationsConditions, SOUND_FINALITY_LAG_S } from "../swaps/evm/evm-conditions.ts";
import { MAX_AHEAD_S } from "../swaps/evm/evm-cross-check.ts";
import type { SwapLedger } from "../swaps/ledger/ledger.ts";
import type { SwapStore } from "../swaps/ledger/ports.ts";
import type { EvmStanding, PearlStanding } from "../swaps/standings.ts";
import type { BalanceSource } from "../swaps/lookup-ports.ts";
import { PearlMempool } from "../swaps/pearl/pearl-mempool.ts";
import { PEARL_WATCH_DEFAULTS, PearlWatch } from "../swaps/pearl/pearl-watch.ts";
import { AskRechecks } from "../swaps/usecases/ask-recheck.ts";
import { BalanceLookups } from "../swaps/usecases/balance-lookups.ts";
import { LimitedLookups } from "../swaps/usecases/lookups.ts";
import { KeyedLock, type SwapDependencies } from "../swaps/usecases/dependencies.ts";
import { LockHints } from "../swaps/usecases/lock-hints.ts";
import { SignatureJudge } from "../swaps/usecases/signature-judge.ts";
import { SwapApi } from "../swaps/usecases/swap-api.ts";
import type { Closers } from "./cli/ending.ts";
import type { Config } from "./config/config.ts";
import { addressOf } from "./config/read-node.ts";
import type { SwapConfig } from "./config/read-swaps.ts";
import { sharedSettings } from "./config/shared-settings.ts";
import { EscrowQuestion } from "./escrow-question.ts";
import { openLedger, type ReadyLedger, readsOver } from "./open-ledger.ts";
import type { Outside } from "./outside.ts";
import type { SwapReport } from "./report.ts";

/** How often what time alone changes is looked at: expiries are told within this time. */
const PASS_TIME_MS = 5000;

/** What swaps share with the index. */
interface SwapFoundation {
  readonly config: Config;
  readonly swaps: SwapConfig;
  readonly store: SwapStore;
  /** Reads of the index. */
  readonly queries: IndexQueries;
  readonly node: FollowedNode;
  /** Raw blocks that index and swaps download once. */
  readonly bodies: RecentBodies;
  readonly context: IndexingContext;
  readonly log: Log;
  readonly closers: Closers;
  readonly outside: Outside;
}

/** What swaps know of both chains: how far their ledger is, and what the nodes last said of theirs. */
export interface SwapSides {
  readonly tips: ChainTips;
  readonly evm: EvmStanding;
  readonly pearl: PearlStanding;
  /** Lock scripts for which older PEARL blocks are still to be read. */
  readonly uncovered: () => number;
}

/** The running parts. */
export interface ComposedSwaps {
  readonly api: SwapApi;
  readonly ledger: SwapLedger;
  /** Sees what the one reader of the mempool fetches. */
  readonly mempool: MempoolListener;
  /** Without asking anybody. */
  sides(): SwapSides;
  /** How far the EVM side is (H-20), without asking anybody. */
  evmStatus(): EvmStatus;
  /** What readers in other processes have to know. */
  report(): SwapReport;
  /** What is wrong now with the side of swaps (H-20). */
  conditions(): readonly Condition[];
  /** Follows both chains until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Builds the swap service. Throws `CommandRefused` where the contract is not the configured one, or the database belongs
 * to another escrow (S-26). RPCs that do not answer refuse nothing: swaps answer 503 until one does.
 */
export async function composeSwaps(foundation: SwapFoundation): Promise<ComposedSwaps> {
  const { config, swaps, store, log, closers, node, outside } = foundation;
  const { clock } = outside;
  const chain = outside.openEvm({
    urls: swaps.evmRpcUrls,
    chainId: swaps.chainId,
    escrow: swaps.escrow,
    confirmations: swaps.confirmations,
    clock,
  });
  closers.add(async () => chain.close());
  const escrow = new EscrowQuestion(chain, swaps.firstBlock, log, clock);
  await escrow.askAtStart();
  const opened = await openLedger({ config, swaps, store, log, clock }, (ledger, isEvmIndexed) =>
    followersOf(foundation, chain, ledger, isEvmIndexed),
  );
  const { ledger, readiness } = opened;
  const { pearl, evm } = opened.followers;
  const mempool = new PearlMempool({
    node,
    watch: pearl,
    areOrdersKnown: () => readiness.isEvmIndexed(),
    sha256d,
    ledger,
    crypto: swapCrypto,
    clock,
    log,
  });
  ledger.feed.subscribe(() => pearl.lookSoon());
  const composed = { foundation, chain, escrow, opened, pearl, evm };
  const parts = dependenciesOf(composed);
  const api = new SwapApi(parts);
  const confirmations = swaps.isPlay ? [] : confirmationsConditions(swaps.confirmations);
  for (const { sentence } of confirmations) log.warn({}, sentence);
  const settings = sharedSettings(swaps);
  const uncovered = (): number => ledger.watch.uncovered().length;
  const sides = () => ({ tips: ledger.tips(), evm: evm.standing(), pearl: pearl.standing(), uncovered });
  return {
    api,
    ledger,
    mempool,
    sides,
    evmStatus: () => escrow.status(evm.status()),
    report: () => ({
      evm: evm.standing(),
      pearl: pearl.standing(),
      lastSynced: readiness.lastSynced,
      isWithheld: readiness.isWithheld,
      escrow: escrow.facts,
      settings,
    }),
    conditions: () => [
      ...[pearl, readiness, escrow, evm].flatMap((part) => part.conditions()),
      ...confirmations,
    ],
    run: (signal) => runAll(composed, parts, signal),
  };
}

/** The followers of both chains, which write to the ledger. */
function followersOf(
  { config, swaps, node, bodies, context, log, outside: { clock } }: SwapFoundation,
  chain: EvmChain,
  ledger: SwapLedger,
  areOrdersKnown: () => boolean,
): { readonly pearl: PearlWatch; readonly evm: EvmFollower } {
  const source = { ...bodies.reader(), rawHeaders: node.rawHeaders, connections: node.connections };
  const pearl = new PearlWatch(
    { node: source, others: node, context, ledger, areOrdersKnown, crypto: swapCrypto, clock, log },
    { ...PEARL_WATCH_DEFAULTS, pollMs: config.node.pollMs },
  );
  const evm = new EvmFollower(
    { chain, ledger, crypto: swapCrypto, clock, log },
    {
      ...EVM_FOLLOWER_DEFAULTS,
      firstBlock: swaps.firstBlock,
      pollMs: swaps.evmPollMs,
      syncedLagS: swaps.limits.evmLagS,
      rereadMs: swaps.evmRereadS * 1000,
      maxAheadS: swaps.isPlay ? null : MAX_AHEAD_S,
      maxFinalityLagS: swaps.isPlay ? null : SOUND_FINALITY_LAG_S,
    },
  );
  return { pearl, evm };
}

/** What use cases and loops are made of. */
interface Composed {
  readonly foundation: SwapFoundation;
  readonly chain: EvmChain;
  readonly escrow: EscrowQuestion;
  readonly opened: ReadyLedger;
  readonly pearl: PearlWatch;
  readonly evm: EvmFollower;
}

/** The re-checks are begun here, too; use cases only ask them to look. */
type ComposedDependencies = SwapDependencies & { readonly rechecks: AskRechecks };

function dependenciesOf({ foundation, chain, escrow, opened, evm }: Composed): ComposedDependencies {
  const { config, swaps, queries, closers, log, node, outside } = foundation;
  const { clock } = outside;
  const addresses = [config.node, ...config.node.witnesses].map(addressOf);
  const nodes: SeveralNodes = { addresses, followed: () => node.place };
  const lookups = outside.openLookups(nodes, { sha256d, clock });
  // Whoever is asked whether a value is public knows it, be it a secret: no node of others is asked (S-66).
  const ownNode = outside.openLookups(
    { addresses: addresses.slice(0, 1), followed: () => 0 },
    { sha256d, clock },
  );
  closers.add(async () => lookups.close());
  closers.add(async () => ownNode.close());
  const parts: Omit<SwapDependencies, "rechecks"> = {
    ...readsOver(opened, swaps, { queries, ownNode, escrow: () => escrow.facts, clock }),
    verifySchnorr,
    digests: escrowDigests({ chainId: swaps.chainId, verifyingContract: swaps.escrow }, swapCrypto.keccak256),
    signatures: new SignatureJudge({
      accounts: chain.accounts,
      recover: recoverSigner,
      clock,
      keptMs: swaps.askRecheckS * 1000,
    }),
    lookups: new LimitedLookups(lookups, clock),
    balances: new BalanceLookups(balancesOf(foundation, nodes), opened.ledger, clock, log),
    hints: new LockHints(),
    locks: new KeyedLock(),
    evmStanding: () => evm.standing(),
    log,
  };
  return { ...parts, rechecks: new AskRechecks(parts) };
}

function balancesOf({ swaps, closers, outside }: SwapFoundation, nodes: SeveralNodes): BalanceSource {
  if (swaps.balanceSource.kind === "blockbook") return openBlockbookBalance({ url: swaps.balanceSource.url });
  const balances = outside.openBalance(nodes, { sha256d, clock: outside.clock });
  closers.add(async () => balances.close());
  return balances;
}

async function runAll(
  { foundation, chain, escrow, opened, pearl, evm }: Composed,
  parts: ComposedDependencies,
  signal: AbortSignal,
): Promise<void> {
  // An RPC that says nothing would be waited for by whoever stops the service.
  signal.addEventListener("abort", () => chain.close(), { once: true });
  const followEvm = async (): Promise<void> => {
    await escrow.settle(signal);
    if (!signal.aborted) await evm.run(signal);
  };
  await Promise.all([
    pearl.run(signal),
    followEvm(),
    parts.rechecks.run(foundation.swaps.askRecheckS, signal),
    passTime(opened.ledger, foundation, signal),
    parts.readiness.run(signal),
  ]);
}

/** Tells expiries, forgets old takes, lets what is over leave memory, and sees which alarms an operator has lifted. */
async function passTime(
  ledger: SwapLedger,
  { log, outside }: SwapFoundation,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await outside.clock.sleep(PASS_TIME_MS, signal);
    if (signal.aborted) return;
    await ledger.passTime().catch((error: unknown) => log.error({ error }, "swaps: time cannot be told"));
    await closeOld(ledger, signal).catch((error: unknown) =>
      log.error({ error }, "swaps: what is over cannot leave memory"),
    );
    await ledger.passAlarms().catch((error: unknown) => log.error({ error }, "swaps: alarms cannot be read"));
  }
}

/** Lets deals that are long over leave memory, as many as there are. */
async function closeOld(ledger: SwapLedger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await ledger.close()));
}
