// The service over every third-party node at hand shows the rows of the hand-written story. The real program parts (RPC
// adapter, follower, core, SQLite, HTTP) follow it through tokens, listings, fills, mistakes and three
// reorganisations; every chapter's rows are read over HTTP, page by page.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { readConfig } from "../../src/app/config/config.ts";
import { type RunningService, startService } from "../../src/app/main.ts";
import type { Expected, ExpectedListing } from "../../testkit/doubles/consensus-node/expected.ts";
import { needs, nodesToTest } from "../../testkit/doubles/consensus-node/at-hand.ts";
import type { ConsensusNode, NodeProgram } from "../../testkit/doubles/consensus-node/consensus-node.ts";
import {
  type Chapter,
  feeAddressOn,
  openScenario,
  SCENARIO_RULES,
} from "../../testkit/doubles/consensus-node/scenario.ts";

type Row = Readonly<Record<string, unknown>>;
interface Envelope {
  readonly next: string | null;
  readonly result: readonly Row[];
}

/** Follows `next` to the end with small pages; the pages of one walk must come from one height. */
async function walk(base: string, path: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let next: string | null = null;
  do {
    const cursor: string = next === null ? "" : `&next=${encodeURIComponent(next)}`;
    const answer = await fetch(
      `${base}/api/v1/prc20/${path}${path.includes("?") ? "&" : "?"}limit=7${cursor}`,
    );
    assert.equal(answer.status, 200, path);
    const body = (await answer.json()) as Envelope;
    rows.push(...body.result);
    next = body.next;
  } while (next !== null);
  return rows;
}

const text = (row: Row, field: string): string => String(row[field]);

function listingRow(row: Row): ExpectedListing {
  const txid = row["closed_txid"];
  return {
    id: text(row, "id"),
    tick: text(row, "tick"),
    amount: text(row, "amount"),
    price: text(row, "price"),
    owner: text(row, "owner"),
    exp: (row["exp"] ?? null) as string | null,
    protocolFee: text(row, "protocol_fee_amount"),
    sellerNet: text(row, "seller_net_amount"),
    seller: text(row, "seller_address"),
    state: row["lifecycle_state"] as ExpectedListing["state"],
    closedBy: typeof txid === "string" ? { txid, height: row["closed_height"] as number } : null,
  };
}

/** The whole state as HTTP shows it, in the order of `Expected`. */
async function read(base: string): Promise<Expected> {
  const health = (await (await fetch(`${base}/health`)).json()) as { indexed_height: number };
  const [tip] = await walk(base, `digest/${health.indexed_height}`);
  const tokens = await walk(base, "tokenlist");
  const ticks = tokens.map((row) => text(row, "tick")).toSorted();
  const perTick = async (part: string): Promise<Row[]> => {
    const rows: Row[] = [];
    for (const tick of ticks) rows.push(...(await walk(base, part.replace("{tick}", tick))));
    return rows;
  };
  const deployments = await perTick("token/{tick}");
  const holders: { address: string; tick: string; balance: string; locked: string }[] = [];
  for (const tick of ticks) {
    for (const row of await walk(base, `token/${tick}/holders`)) {
      holders.push({
        address: text(row, "address"),
        tick,
        balance: text(row, "balance"),
        locked: text(row, "locked"),
      });
    }
  }
  const operations = (await walk(base, "oplist")).toReversed();
  return {
    height: health.indexed_height,
    tip: text(tip ?? {}, "block_hash"),
    tokens: deployments.map((row) => ({
      tick: text(row, "tick"),
      max: text(row, "max"),
      lim: text(row, "lim"),
      pre: text(row, "pre"),
      dec: text(row, "dec"),
      minted: text(row, "minted"),
      burned: text(row, "burned"),
      deployer: text(row, "deployer"),
      deployTxid: text(row, "deploy_txid"),
      height: row["deploy_height"] as number,
    })),
    balances: holders.toSorted((a, b) => (a.address + a.tick < b.address + b.tick ? -1 : 1)),
    listings: (await perTick("market/{tick}/history"))
      .map(listingRow)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    operations: operations.map((row) => ({
      txid: text(row, "txid"),
      vout: row["vout"] as number,
      height: row["block_height"] as number,
      op: text(row, "op"),
      valid: row["valid"] === 1,
      reason: row["reason"] as string | null,
      tick: text(row, "tick"),
      amount: row["amount"] as string | null,
      from: text(row, "from"),
      to: row["to"] as string | null,
    })),
  };
}

async function untilIndexed(base: string, hash: string, height: number): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 50) {
    const answer = await fetch(`${base}/api/v1/prc20/digest/${height}`);
    const body = (await answer.json()) as Envelope;
    if (body.result[0]?.["block_hash"] === hash) return;
    await wait(50);
  }
  assert.fail(`block ${hash} at ${height} was not indexed within a minute`);
}

for (const program of nodesToTest())
  describe(`the index over ${program.name}`, needs(program), () => overNode(program));

function overNode(program: NodeProgram): void {
  const folder = mkdtempSync(join(tmpdir(), "strand-third-party-index-"));
  let node: ConsensusNode;
  let service: RunningService;
  let chapters: readonly Chapter[] = [];
  let base = "";

  before(async () => {
    node = await program.start();
    chapters = await openScenario(node);
    const { port, user, password } = node.address;
    const config = readConfig({
      flags: new Map(),
      readFile: () => null,
      environment: {
        STRAND_NETWORK: node.network,
        PEARL_RPC_URL: `http://127.0.0.1:${port}`,
        PEARL_RPC_USER: user,
        PEARL_RPC_PASSWORD: password,
        DATABASE_URL: `sqlite:${join(folder, "index.db")}`,
        PORT: "0",
        PRC20_FEE_BPS: String(SCENARIO_RULES.feeBps),
        PRC20_FEE_ADDRESS: feeAddressOn(node),
        LOG_LEVEL: "error",
      },
    });
    assert.ok(config.ok, JSON.stringify(config));
    service = await startService(config.value);
    base = `http://127.0.0.1:${service.port}`;
  });

  after(async () => {
    await service?.stop();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const number of [0, 1, 2, 3]) {
    test(`chapter ${number + 1}: HTTP shows what was written down`, async () => {
      const chapter = chapters[number];
      assert.ok(chapter);
      const expected = await chapter.run();
      await untilIndexed(base, expected.tip, expected.height);
      assert.deepEqual(await read(base), expected, chapter.title);
    });
  }
}
