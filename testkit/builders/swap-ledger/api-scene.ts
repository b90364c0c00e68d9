// Gives a test the use cases of swaps without chains: a ledger in memory, the real judgements, and outside answers
// (accounts, balances, node) that the test chooses.

import { verifySchnorr } from "../../../src/adapters/system/schnorr.ts";
import { recoverSigner, swapCrypto } from "../../../src/adapters/system/swap-crypto.ts";
import type { EvmAddress, Outpoint } from "../../../src/primitives/brands.ts";
import { windowByWindow } from "../../doubles/window-hashes.ts";
import { AskIndex } from "../../../src/swaps/usecases/ask-index.ts";
import { AskRechecks } from "../../../src/swaps/usecases/ask-recheck.ts";
import { BalanceLookups } from "../../../src/swaps/usecases/balance-lookups.ts";
import { KeyedLock, type SwapDependencies } from "../../../src/swaps/usecases/dependencies.ts";
import { LockHints } from "../../../src/swaps/usecases/lock-hints.ts";
import { LimitedLookups } from "../../../src/swaps/usecases/lookups.ts";
import { PublicValues } from "../../../src/swaps/usecases/secret-guard.ts";
import { SignatureJudge } from "../../../src/swaps/usecases/signature-judge.ts";
import { SwapLedger } from "../../../src/swaps/ledger/ledger.ts";
import type { ChainCheckpoint } from "../../../src/swaps/ledger/ports.ts";
import type { EvmStanding, PearlStanding } from "../../../src/swaps/standings.ts";
import type {
  BalanceSource,
  EvmAccounts,
  FoundTransaction,
  PearlLookups,
} from "../../../src/swaps/lookup-ports.ts";
import { type ReadinessLimits, SwapReadiness } from "../../../src/swaps/readiness.ts";
import { escrowDigests } from "../../../src/swap/eip712.ts";
import type { ChainTips } from "../../../src/swap/facts.ts";
import type { EvaluationContext } from "../../../src/swap/subject.ts";
import { alarmLog, evmAddress, ledgerParts, START } from "./ledger-facts.ts";
import { evm, pearl } from "./ledger-scene.ts";
import { MemorySwapStore } from "../../doubles/memory-swap-store.ts";
import { handClock } from "../../doubles/clock.ts";

/** What the outside world says; the test changes it at will. */
export interface Outside {
  /** Unix seconds. */
  now: number;
  /** Satoshis of every seller; null: the source fails. */
  balance: bigint | null;
  /** Accounts with code, and whether they find signatures valid. */
  readonly contracts: Map<EvmAddress, boolean | "failed">;
  /** Questions that were asked: whose code, by request; which contracts were called; which balances were looked up. */
  readonly codeRead: (readonly EvmAddress[])[];
  readonly called: EvmAddress[];
  readonly lookedUp: string[];
  /** What the last look-up leaves out of a balance. */
  except: (outpoint: Outpoint) => boolean;
  /** Look-ups wait for this. */
  gate: Promise<void>;
  /** Answers about accounts wait for this. */
  accountsGate: Promise<void>;
  /** Seconds for which no RPC has answered about its chain. */
  evmSilentS: number;
  /** No RPC answers questions about accounts. */
  accountsDown: boolean;
  /** What the node knows of any transaction. */
  transaction: FoundTransaction | null;
  /** Ids that the index knows, without 0x. */
  readonly indexed: Set<string>;
  /** Hashes of the node's blocks. */
  readonly blocks: Set<string>;
  /** The node does not answer. */
  nodeDown: boolean;
  /** Every question to the node. */
  readonly asked: string[];
}

/** The use cases' parts with everything behind them. */
export interface ApiScene {
  readonly ledger: SwapLedger;
  readonly store: MemorySwapStore;
  readonly parts: SwapDependencies & { readonly rechecks: AskRechecks };
  readonly outside: Outside;
}

/** On a network of play: ages and connections do not count. */
const LIMITS: ReadinessLimits = {
  pearlLagBlocks: 1,
  pearlTipAgeS: null,
  minPeers: null,
  evmLagS: 60,
  evmHeadAgeS: null,
  maxAheadS: null,
  blockIntervalS: 300,
  answerWithinS: 30,
};

/** Seconds of a round of re-checks. */
export const ROUND_S = 60;

/** The first block of both chains: the contract's fee. */
async function begin(ledger: SwapLedger, isPearlMadeUp: boolean): Promise<void> {
  const { hash: blockHash, time } = evm(1).tip;
  const place = { block: 1, blockHash, time, txHash: blockHash, logIndex: 0 };
  await ledger.applyEvm(evm(1, [{ kind: "FeeSet", place, feeBps: 200, feeRecipient: evmAddress("fees") }]));
  if (isPearlMadeUp) await ledger.applyPearl(pearl(1));
}

function accountsOf(outside: Outside): EvmAccounts {
  return {
    haveCode: async (addresses: readonly EvmAddress[]) => {
      outside.codeRead.push(addresses);
      await outside.accountsGate;
      if (outside.accountsDown) throw new Error("no RPC answers");
      return addresses.map((address) => outside.contracts.has(address));
    },
    judgeSignature: async (address: EvmAddress) => {
      outside.called.push(address);
      await outside.accountsGate;
      if (outside.accountsDown) throw new Error("no RPC answers");
      const verdict = outside.contracts.get(address);
      return typeof verdict === "string" ? verdict : verdict === true ? "valid" : "invalid";
    },
  };
}

function balancesOf(outside: Outside): BalanceSource {
  return {
    balance: async (address, except) => {
      outside.lookedUp.push(address);
      outside.except = except;
      await outside.gate;
      if (outside.balance === null) throw new Error("the source does not answer");
      return outside.balance;
    },
  };
}

/** A node that has answered just now, with the ledger's own tip. */
function healthyNode({ pearl: tip }: ChainTips, now: number): PearlStanding {
  return {
    nodeHeight: tip.height,
    nodeTipTime: tip.time,
    answeredAtMonotonicMs: now * 1000,
    tipChangedAtMonotonicMs: now * 1000,
    lackingSinceMonotonicMs: null,
    connections: 8,
    blockIntervalS: 194,
    fork: null,
    witnesses: null,
    applied: null,
    isMempoolRead: true,
    nodes: { configured: 1, answering: 1, agreeing: 1 },
  };
}

/** Before the ledger is open. */
const NO_TIPS: ChainTips = {
  evm: { height: -1, time: 0, finalHeight: -1, need: null },
  pearl: { height: -1, time: 0, medianTimePast: 0 },
};

/** An RPC that has answered with the ledger's own tip. */
function healthyRpc({ evm: tip }: ChainTips, { now, evmSilentS }: Outside): EvmStanding {
  return {
    headHeight: tip.height,
    headTime: tip.time,
    answeredAtMonotonicMs: (now - evmSilentS) * 1000,
    headChangedAtMonotonicMs: now * 1000,
    agreed: true,
    finalReplaced: false,
  };
}

/** How a scene differs from the usual one. */
export interface SceneOptions {
  /** The PEARL side's standing; then no PEARL block is made up: a follower is expected to bring them. */
  readonly pearl?: () => PearlStanding;
  /** The EVM side's standing. */
  readonly evm?: () => EvmStanding;
  readonly limits?: Partial<ReadinessLimits>;
}

function nodeOf(outside: Outside): PearlLookups {
  const ask = async (id: string): Promise<void> => {
    outside.asked.push(id);
    if (outside.nodeDown) throw new Error(`the node does not answer about ${id}`);
  };
  return {
    transaction: async (txid) => {
      await ask(txid);
      return outside.transaction;
    },
    isBlock: async (hash) => {
      await ask(hash);
      return outside.blocks.has(hash);
    },
  };
}

function quietOutside(): Outside {
  return {
    now: START + 100,
    balance: 10n ** 15n,
    contracts: new Map(),
    codeRead: [],
    called: [],
    lookedUp: [],
    except: () => false,
    gate: Promise.resolve(),
    accountsGate: Promise.resolve(),
    evmSilentS: 0,
    accountsDown: false,
    transaction: null,
    indexed: new Set(),
    blocks: new Set(),
    nodeDown: false,
    asked: [],
  };
}

/** Both sides synced, the fee known: 200 bps for `fees`, block 1 of the EVM chain, height 1 of PEARL. */
export async function apiScene(options: SceneOptions = {}): Promise<ApiScene> {
  const outside = quietOutside();
  const clock = handClock(() => outside.now * 1000);
  const log = alarmLog();
  const ledgerWith = ledgerParts(log, () => outside.now);
  const live: { ledger: SwapLedger | null } = { ledger: null };
  const tips = (): ChainTips => live.ledger?.tips() ?? NO_TIPS;
  const evmStanding = options.evm ?? ((): EvmStanding => healthyRpc(tips(), outside));
  const pearlStanding = options.pearl ?? ((): PearlStanding => healthyNode(tips(), outside.now));
  const pearlBlocks = (): readonly ChainCheckpoint[] => live.ledger?.checkpoints("pearl") ?? [];
  const readiness = new SwapReadiness(
    { tips, pearlBlocks, evm: evmStanding, pearl: pearlStanding, clock },
    { ...LIMITS, ...options.limits },
  );
  const store = new MemorySwapStore();
  const contextOf = (at: ChainTips): EvaluationContext => readiness.context(at);
  const ledger = await SwapLedger.open({
    ...ledgerWith,
    store,
    ...(options.pearl === undefined ? {} : { contextOf }),
  });
  live.ledger = ledger;
  readiness.tick();
  ledger.onRows(() => readiness.tick());
  await begin(ledger, options.pearl === undefined);
  const node = nodeOf(outside);
  const { rules } = ledgerWith;
  const domain = { chainId: rules.chainId, verifyingContract: evmAddress("escrow") };
  const base: Omit<SwapDependencies, "rechecks"> = {
    ledger,
    readiness,
    rules,
    limits: { askMinUsdc: 1_000_000n, takeTtlS: 1200, askMax: 100_000, requirePearlProof: false },
    escrow: () => ({ firstBlock: 0, minUsdc: 2_000_000n, usdc: evmAddress("usdc"), abi: [] }),
    crypto: swapCrypto,
    verifySchnorr,
    digests: escrowDigests(domain, swapCrypto.keccak256),
    signatures: new SignatureJudge({
      accounts: accountsOf(outside),
      recover: recoverSigner,
      clock,
      keptMs: ROUND_S * 1000,
    }),
    lookups: new LimitedLookups(node, clock),
    publicValues: new PublicValues(
      { isIndexed: async (digits) => outside.indexed.has(digits), ownNode: node },
      clock,
    ),
    hashWindows: windowByWindow(swapCrypto.sha256),
    balances: new BalanceLookups(balancesOf(outside), ledger, clock, log),
    asks: new AskIndex({ ledger, context: () => readiness.context() }),
    hints: new LockHints(),
    locks: new KeyedLock(),
    evmStanding,
    clock,
    log,
  };
  const parts: ApiScene["parts"] = { ...base, rechecks: new AskRechecks(base) };
  return { ledger, store, parts, outside };
}
