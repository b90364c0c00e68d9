// A server over a fake index, for contract tests: with injected requests, or listening on a free port.

import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { FastifyInstance } from "fastify";
import type { HttpDependencies } from "../../src/http/dependencies.ts";
import { buildServer } from "../../src/http/server.ts";
import type { LedgerCause } from "../../src/index/views.ts";
import type { EventGroup } from "../../src/index/event-groups.ts";
import type { Condition } from "../../src/follow/conditions.ts";
import type { ProtocolRules } from "../../src/prc20/rules.ts";
import type {
  IndexStatus,
  MempoolOperation,
  MempoolSnapshot,
  MempoolView,
} from "../../src/follow/serving.ts";
import { fillTemplatePsbt } from "../../src/wallet/fill-psbt.ts";
import { FakeIndex } from "./fake-index.ts";
import * as rows from "./rows.ts";
import { handClock } from "../../testkit/doubles/clock.ts";
import { logOf } from "../../testkit/doubles/log.ts";

export const PROTOCOL_RULES: ProtocolRules = {
  hrp: "rprl",
  genesisHash: "aa".repeat(32),
  marker: "prc-20",
  startHeight: 1,
  feeBps: 100,
  feeAddress: rows.FEES_ADDRESS,
};

/** One line that was logged. */
export interface LogLine {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** A server with all its parts in the test's hands. */
export interface Harness {
  readonly app: FastifyInstance;
  /** What it was built of. */
  readonly deps: HttpDependencies;
  readonly index: FakeIndex;
  readonly mempool: MempoolOperation[];
  readonly status: { value: IndexStatus };
  /** What the running parts say is wrong. */
  readonly conditions: Condition[];
  readonly log: LogLine[];
  readonly now: { ms: number };
  /** Tells the server that the state has changed. */
  readonly commit: () => void;
}

const SYNCED: IndexStatus = {
  nodeHeight: rows.TIP,
  indexedHeight: rows.TIP,
  lag: 0,
  indexingStatus: "synced",
  evm: null,
};

/** Unconfirmed operations as a snapshot has them, filtered by the words of H-38. */
export function mempoolView(snapshot: () => MempoolSnapshot): MempoolView {
  return {
    snapshot,
    matching: ({ txid, tick, address }) =>
      snapshot()
        .rows.filter((row) => txid === null || row.txid === txid)
        .filter((row) => tick === null || row.tick === tick)
        .filter(({ from, to }) => address === null || [from, to].includes(address)),
  };
}

/** Builds a server; the caller closes `app`. */
export async function harness(index: FakeIndex, options: Partial<HttpDependencies> = {}): Promise<Harness> {
  const listeners = new Set<() => void>();
  const log: LogLine[] = [];
  const status = { value: SYNCED };
  const conditions: Condition[] = [];
  const mempool: MempoolOperation[] = [];
  const now = { ms: 0 };
  const deps: HttpDependencies = {
    queries: index,
    rules: PROTOCOL_RULES,
    network: "simnet",
    version: "0.0.0-test",
    status: () => status.value,
    conditions: () => conditions,
    nodes: () => ({ configured: 2, answering: 2, agreeing: 1 }),
    mempool: mempoolView(() => ({ version: 1, rows: mempool, truncated: false })),
    feed: {
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    clock: handClock(() => now.ms),
    syncedLag: 1,
    log: logOf((level, message, fields) => void log.push({ level, fields, message })),
    fillPsbt: fillTemplatePsbt,
    trustProxy: false,
    rateLimit: null,
    rateLimitPost: null,
    swaps: null,
    answers: null,
    ...options,
  };
  const app = await buildServer(deps);
  const commit = () => {
    for (const listener of listeners) listener();
  };
  return { app, deps, index, mempool, status, conditions, log, now, commit };
}

/** A server that listens. */
export interface Listening extends Harness {
  readonly port: number;
}

/** Builds a server over a rich index that listens on a free port; the caller closes `app` where no test's end does. */
export async function listening(
  options: Partial<HttpDependencies> = {},
  context?: TestContext,
): Promise<Listening> {
  const one = await harness(richIndex(), options);
  await one.app.listen({ port: 0, host: "127.0.0.1" });
  context?.after(async () => {
    // A connection that never asked anything is not idle to Node: closing would wait for it.
    one.app.server.closeAllConnections();
    await one.app.close();
  });
  const address = one.app.server.address() as AddressInfo;
  return { ...one, port: address.port };
}

/** An index with two tokens, listings in all five states and operations of every kind. */
export function richIndex(): FakeIndex {
  const index = new FakeIndex(
    rows.stateAt(rows.TIP, {
      eventsTotal: 30,
      eventsValid: 29,
      tokensDeployed: 2,
      listsOpen: 3,
      listsFilled: 1,
      listsCancelled: 1,
      listsInvalidSpent: 1,
      feePaidSat: 400n,
      sellerPaidSat: 39_600n,
      nextPlace: 60,
    }),
  );
  index.tokenRows = [
    rows.token("SAND"),
    rows.token("SALT", {
      deployPlace: 2,
      minted: rows.raw(3000n),
      burned: rows.raw(0n),
      cid: "bafy",
      dec: "0",
    }),
  ];
  index.balanceRows = [
    { address: rows.ALICE_ADDRESS, tick: rows.SAND, balance: rows.raw(500n), locked: rows.raw(90n) },
    { address: rows.BOB_ADDRESS, tick: rows.SAND, balance: rows.raw(310n), locked: rows.raw(0n) },
    {
      address: rows.BOB_ADDRESS,
      tick: index.tokenRows[1]?.tick ?? rows.SAND,
      balance: rows.raw(3000n),
      locked: rows.raw(0n),
    },
  ];
  index.listingRows = [
    rows.listingRow("a1", 20),
    rows.listingRow("a2", 21, {
      priceSat: rows.sat(10_000n),
      protocolFeeSat: rows.sat(0n),
      sellerNetSat: rows.sat(10_000n),
    }),
    rows.listingRow("a3", 22, { exp: 90 }),
    rows.listingRow("a4", 23, { close: rows.closed("filled", 40), amount: rows.raw(40n) }),
    rows.listingRow("a5", 24, { close: rows.closed("cancelled", 41) }),
    rows.listingRow("a6", 25, { close: rows.closed("invalid_spent", 42) }),
  ];
  index.summary = {
    expiredOpenCount: 1,
    best: index.listingRows[1] ?? null,
    volume24hSat: 40_000n,
    fills24h: 1,
    floorThen: { priceSat: 40_000n, amount: 30n },
  };
  index.operationRows = operations(index);
  index.candleRows = [0, 1, 5].map((hour) => ({
    start: 1_762_992_000 + hour * 3600,
    open: { priceSat: 10n, amount: 3n },
    high: { priceSat: 11n, amount: 3n },
    low: { priceSat: 9n, amount: 3n },
    close: { priceSat: 10n, amount: 3n },
    volume: 12n,
    volumeSat: 40n,
    fills: 4,
  }));
  index.ledgerRows = ledger(index);
  index.chain = Array.from({ length: rows.TIP + 1 }, (_, height) => ({
    height,
    hash: rows.blockHash(height),
    time: rows.TIP_TIME - 600 * (rows.TIP - height),
    digest: rows.digestAt(height),
    operations: height % 5,
    validOperations: height % 3,
  }));
  return index;
}

/** What the special operations change for Alice, and a closing of hers. */
function ledger(index: FakeIndex): FakeIndex["ledgerRows"] {
  const closedId = index.listingRows[4]?.id ?? null;
  const change = (
    key: number,
    cause: LedgerCause,
    [balanceDelta, lockedDelta]: [bigint, bigint],
    [balance, locked]: [bigint, bigint],
  ) => ({
    holder: rows.ALICE_ADDRESS,
    view: {
      key,
      cause,
      height: 10 + key,
      time: rows.TIP_TIME - 10_000 + key,
      txid: rows.repeatedTxid("b1"),
      vout: 0,
      tick: rows.SAND,
      balanceDelta,
      lockedDelta,
      balance: rows.raw(balance),
      locked: rows.raw(locked),
      listingId: cause === "deploy" ? null : closedId,
    },
  });
  return [
    change(1, "deploy", [620n, 0n], [620n, 0n]),
    change(3, "list", [-150n, 150n], [470n, 150n]),
    change(4, "fill", [0n, -30n], [470n, 120n]),
    change(6, "cancel", [30n, -30n], [500n, 90n]),
  ];
}

function operations(index: FakeIndex) {
  const [first] = index.listingRows;
  const filled = index.listingRows[3];
  const plain = Array.from({ length: 30 }, (_, at) => rows.operation(at + 1));
  const special = [
    rows.operation(31, { op: "deploy", from: rows.ALICE_ADDRESS, to: rows.ALICE_ADDRESS, amount: null }),
    rows.operation(32, {
      op: "mint",
      from: rows.ALICE_ADDRESS,
      to: rows.BOB_ADDRESS,
      amount: rows.raw(500n),
    }),
    rows.operation(33, { op: "burn", from: rows.BOB_ADDRESS, to: null, amount: rows.raw(1n) }),
    rows.operation(34, {
      op: "list",
      to: rows.ALICE_ADDRESS,
      listingId: first?.id ?? null,
      amount: rows.raw(30n),
    }),
    rows.operation(35, {
      op: "send",
      from: rows.BOB_ADDRESS,
      to: rows.BOB_ADDRESS,
      listingId: filled?.id ?? null,
      filledOwner: rows.ALICE_ADDRESS,
      amount: rows.raw(40n),
    }),
    rows.operation(36, {
      op: "fly",
      tick: "",
      valid: false,
      reason: "OP_UNKNOWN",
      to: null,
      amount: null,
      from: rows.BOB_ADDRESS,
    }),
  ];
  return [...plain, ...special];
}

/** The log of an index that saw two reorganisations, as their events' ids say at heights 12 and 30. */
export function reorganisations(): EventGroup[] {
  return [12, 30].map((id) => ({
    kind: "reorg",
    firstId: id,
    lastId: id,
    forkHeight: id,
    oldTip: { height: id + 2, hash: rows.blockHash(id + 2) },
    newTip: { height: id + 3, hash: rows.blockHash(id + 3) },
  }));
}
