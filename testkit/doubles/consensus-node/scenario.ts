// Tells the fixed story that the index test plays on a node's chain, and what an index must say after each chapter.
// Three actors meet tokens, listings, fills, mistakes, and three reorganisations. The states are written out by hand
// (raw units, grains), not computed by any implementation of the rules.

import {
  cancelled,
  type DraftedBlock,
  filled,
  paidWithoutSend,
  type StoryListing,
  together,
} from "./drafts.ts";
import type { Expected, ExpectedBalance, ExpectedOperation, ExpectedToken } from "./expected.ts";
import type { ConsensusNode } from "./consensus-node.ts";
import { type Participant, keyFromName, MARKER, openSession } from "./session.ts";
import { type Cast, deploys, listingRows, lists, mints, moves, TREASURY } from "./story-blocks.ts";

/** The parameters (P-01) that the expected rows hold for. */
export const SCENARIO_RULES = { marker: MARKER, startHeight: 1, feeBps: 100 } as const;

/** Who is paid the protocol fee on a node's chain. */
export function feeAddressOn(node: ConsensusNode): string {
  return node.addressOf(TREASURY);
}

/** A part of the story. Chapters are run once each, in order. */
export interface Chapter {
  readonly title: string;
  /** Mines and reorganises; returns the state at the node's tip afterwards. */
  run(): Promise<Expected>;
}

/** A block of the story on the chain. */
interface Mined {
  readonly hash: string;
  readonly height: number;
  readonly operations: readonly ExpectedOperation[];
}

/** Named blocks and listings of the first chapter, which the later ones go back to. */
interface Memory {
  readonly aliceDeploys: DraftedBlock;
  readonly bobDeploys: DraftedBlock;
  readonly deploy: Mined;
  readonly beforeTrade: readonly Mined[];
  readonly fill: Mined;
  readonly batch: DraftedBlock;
  readonly listings: readonly StoryListing[];
  readonly restoreCoins: () => void;
  readonly expected: Expected;
}

async function mine(cast: Cast, draft: DraftedBlock, branch: string, relay = true): Promise<Mined> {
  const { node } = cast.session;
  const hexes = draft.transactions.map(({ hex }) => hex);
  if (relay) for (const hex of hexes) await node.relay(hex);
  // Each branch has a miner of its own, so that no block of one can equal a block of another.
  const hash = await node.mineExactly(node.addressOf(keyFromName(`miner of ${branch}`, "plain")), hexes);
  const height = await node.height();
  return { hash, height, operations: draft.operations.map((operation) => ({ ...operation, height })) };
}

function goldRow(cast: Cast, deploy: Mined): ExpectedToken {
  return {
    tick: "GOLD",
    max: "1000000",
    lim: "1000",
    pre: "5000",
    dec: "2",
    minted: "6400",
    burned: "50",
    deployer: cast.alice.address,
    deployTxid: deploy.operations[0]?.txid ?? "",
    height: deploy.height,
  };
}

function balanceRows(rows: readonly (readonly [Participant, string, string])[]): ExpectedBalance[] {
  const told = rows.map(([{ address }, balance, locked]) => ({ address, tick: "GOLD", balance, locked }));
  return told.toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

function closing(draft: DraftedBlock, mined: Mined) {
  const txid = draft.transactions.at(-1)?.txid;
  if (txid === undefined) throw new Error("nothing closes the listing");
  return { txid, height: mined.height };
}

const OPEN = { state: "open", closedBy: null } as const;
const EXPIRED = { state: "expired_open", closedBy: null } as const;

/** Chapter 1: tokens are made, moved, listed and sold; one listing is cancelled, one is paid for nothing. */
async function trade(cast: Cast): Promise<Memory> {
  const { session, alice, bob, carol } = cast;
  const made = deploys(cast);
  const deploy = await mine(cast, together(made.aliceDeploys, made.bobDeploys), "trade");
  const minting = await mine(cast, mints(cast), "trade");
  const moving = await mine(cast, moves(cast), "trade");
  const exp = String(moving.height + 3);
  const offers = lists(cast, exp);
  const listing = await mine(cast, offers.draft, "trade");
  const restoreCoins = session.checkpoint();
  const [first, second, third, fourth, , sixth] = offers.listings;
  if (!first || !second || !third || !fourth || !sixth) throw new Error("six listings are needed");
  const filling = filled(session, bob, [first], ["1000"]);
  const fill = await mine(cast, filling, "trade");
  const batch = filled(session, carol, [second, third], ["500", "300"], [undefined, bob]);
  const batched = await mine(cast, batch, "trade");
  const cancel = cancelled(session, carol, [sixth]);
  const unpaired = paidWithoutSend(session, alice, fourth);
  const ending = await mine(cast, together(cancel, unpaired), "trade");
  const beforeTrade = [deploy, minting, moving, listing];
  const expected: Expected = {
    height: ending.height,
    tip: ending.hash,
    tokens: [goldRow(cast, deploy)],
    balances: balanceRows([
      [alice, "2500", "0"],
      [bob, "2150", "100"],
      [carol, "1600", "0"],
    ]),
    listings: listingRows(cast, offers.listings, exp, [
      { state: "filled", closedBy: closing(filling, fill) },
      { state: "filled", closedBy: closing(batch, batched) },
      { state: "filled", closedBy: closing(batch, batched) },
      { state: "invalid_spent", closedBy: closing(unpaired, ending) },
      EXPIRED,
      { state: "cancelled", closedBy: closing(cancel, ending) },
    ]),
    operations: [...beforeTrade, fill, batched, ending].flatMap(({ operations }) => operations),
  };
  return { ...made, deploy, beforeTrade, fill, batch, listings: offers.listings, restoreCoins, expected };
}

/** Chapter 2: the fill is undone; on the new branch its listing is cancelled, the batch is mined all the same. */
async function otherBranch(cast: Cast, memory: Memory): Promise<{ expected: Expected; firstBlock: string }> {
  const { session, alice, bob, carol } = cast;
  const [first] = memory.listings;
  if (first === undefined) throw new Error("no listing to cancel");
  await session.node.rpc.call("invalidateblock", [memory.fill.hash]);
  memory.restoreCoins();
  const cancel = cancelled(session, alice, [first]);
  const cancelling = await mine(cast, cancel, "cancel", false);
  const batched = await mine(cast, memory.batch, "cancel", false);
  const empty: DraftedBlock = { transactions: [], operations: [] };
  await mine(cast, empty, "cancel");
  const last = await mine(cast, empty, "cancel");
  const exp = String(memory.fill.height + 1);
  const expected: Expected = {
    height: last.height,
    tip: last.hash,
    tokens: [goldRow(cast, memory.deploy)],
    balances: balanceRows([
      [alice, "3500", "0"],
      [bob, "950", "300"],
      [carol, "900", "700"],
    ]),
    listings: listingRows(cast, memory.listings, exp, [
      { state: "cancelled", closedBy: closing(cancel, cancelling) },
      { state: "filled", closedBy: closing(memory.batch, batched) },
      { state: "filled", closedBy: closing(memory.batch, batched) },
      OPEN,
      EXPIRED,
      OPEN,
    ]),
    operations: [...memory.beforeTrade, batched].flatMap(({ operations }) => operations),
  };
  return { expected, firstBlock: cancelling.hash };
}

/** Chapter 4: everything since the deploy is undone; Bob's deploy now comes first and wins the ticker. */
async function otherDeploy(cast: Cast, memory: Memory): Promise<Expected> {
  const { alice, bob, session } = cast;
  await session.node.rpc.call("invalidateblock", [memory.deploy.hash]);
  const [bobs] = memory.bobDeploys.operations;
  const [alices] = memory.aliceDeploys.operations;
  if (bobs === undefined || alices === undefined) throw new Error("two deploys are needed");
  const draft: DraftedBlock = {
    transactions: [...memory.bobDeploys.transactions, ...memory.aliceDeploys.transactions],
    operations: [
      { ...bobs, valid: true, reason: null, amount: "7", to: bob.address },
      { ...alices, valid: false, reason: "TICK_TAKEN", amount: null, to: null, from: alice.address },
    ],
  };
  const mined = await mine(cast, draft, "deploy", false);
  const token: ExpectedToken = {
    tick: "GOLD",
    max: "2000000",
    lim: "2000000",
    pre: "7",
    dec: "0",
    minted: "7",
    burned: "0",
    deployer: bob.address,
    deployTxid: bobs.txid,
    height: mined.height,
  };
  return {
    height: mined.height,
    tip: mined.hash,
    tokens: [token],
    balances: balanceRows([[bob, "7", "0"]]),
    listings: [],
    operations: mined.operations,
  };
}

/** Funds the actors on a fresh node and returns the chapters. @throws when the node refuses a transaction. */
export async function openScenario(node: ConsensusNode): Promise<readonly Chapter[]> {
  const session = await openSession(node, [
    ["alice", "bip86"],
    ["bob", "plain"],
    ["carol", "bip86"],
  ]);
  const [alice, bob, carol] = session.actors;
  if (!alice || !bob || !carol) throw new Error("three actors are needed");
  const cast = { session, alice, bob, carol };
  let memory: Memory | null = null;
  let cancelBranch = "";
  function remembered(): Memory {
    if (memory === null) throw new Error("the chapters are run in order");
    return memory;
  }
  return [
    {
      title: "deploys, mints, transfers, listings, fills, a cancel and a payment without a send",
      async run() {
        memory = await trade(cast);
        return memory.expected;
      },
    },
    {
      title: "a reorganisation of three blocks: the filled listing is cancelled instead",
      async run() {
        const told = await otherBranch(cast, remembered());
        cancelBranch = told.firstBlock;
        return told.expected;
      },
    },
    {
      title: "a reorganisation back to the first branch, which is shorter",
      async run() {
        await node.rpc.call("invalidateblock", [cancelBranch]);
        await node.rpc.call("reconsiderblock", [remembered().fill.hash]);
        return remembered().expected;
      },
    },
    {
      title: "a reorganisation from before the deploy: the other deploy wins",
      run: () => otherDeploy(cast, remembered()),
    },
  ];
}
