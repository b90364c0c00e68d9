// Judges the index of the simulation after every step. What it must hold comes from the second implementation, replayed
// along the branch; the sums are made here from the rows alone.

import assert from "node:assert/strict";
import type { StoredBlock } from "../../../src/index/ports.ts";
import type { OpenedDatabase } from "../../../src/app/open-database.ts";
import { tipOf } from "../../oracles/answers/truth.ts";
import { PREFIX, type WatchedList, watchedLists, withQuery } from "../../oracles/answers/cases.ts";
import type { JsonRow } from "../../rows.ts";
import type { BlockNode } from "../../doubles/pearl-node/block-index.ts";
import type { Answer, FrontDoor } from "./front-door.ts";
import { isOneBranch, type PearlSide } from "./pearl-side.ts";

/** Rows of a page that are asked for; stories make fewer. */
const LIMIT = 100;
/** Lists that are compared after a step, in turn; all of them at the end. */
const LISTS_PER_STEP = 3;

/** A question that a client asked, and the answer that is on its way. */
interface Asked {
  readonly list: WatchedList;
  readonly answer: Promise<Answer>;
}

/** The judge of one story. */
export class IndexJudge {
  readonly #pearl: PearlSide;
  #turn = 0;
  #lastTip: BlockNode | null = null;
  /** Heads that nodes show, and those that they have shown since the service knew of the last tip. */
  #heads: readonly BlockNode[] = [];
  #shown: BlockNode[] = [];
  #asked: Asked[] = [];
  readonly met = new Map<string, number>();

  constructor(pearl: PearlSide) {
    this.#pearl = pearl;
  }

  /** Nodes show these heads now. */
  heads(heads: readonly BlockNode[]): void {
    this.#heads = heads;
    this.#shown.push(...heads);
  }

  /** A client asks for a list; the answer is judged after the step. */
  ask(door: FrontDoor, list: number): void {
    const lists = this.#lists(this.#lastTip ?? this.#pearl.tip);
    const chosen = lists[list % lists.length];
    if (chosen !== undefined) this.#asked.push({ list: chosen, answer: door.get(pathOf(chosen)) });
  }

  /**
   * After a step: what stands in the store, what is shown of it, and what was answered meanwhile. `known`: the height
   * that the follower knows to be durable. Where a write has failed although it was made, that is another one until the
   * next round reads the store, and pages that are kept are of the state before: each is of one state all the same.
   */
  async judge(store: OpenedDatabase, door: FrontDoor, known: number): Promise<void> {
    const tip = await store.tip();
    const block = this.#judgeTip(tip);
    for (const { list, answer } of this.#asked.splice(0)) await this.#judgeAnswer(list, await answer);
    if (tip === null || block === null) return;
    if (block.height !== known) return this.#count("a write that nobody knows of");
    const hasMoved = block !== this.#lastTip;
    this.#lastTip = block;
    this.#shown = [...this.#heads];
    if (!hasMoved) return;
    this.#count("states compared");
    const truth = this.#pearl.truthAt(block.hash);
    assert.equal(tip.digest, tipOf(truth).digest, `the digest at height ${tip.height}`);
    await this.#judgeSums(store, door);
    await this.#compare(door, block, LISTS_PER_STEP);
  }

  /** At the end: every list, and rows against rows. */
  async judgeAll(store: OpenedDatabase, door: FrontDoor): Promise<void> {
    await this.judge(store, door, this.#pearl.tip.height);
    assert.deepEqual(await store.audit(), [], "rows agree with rows");
    await this.#compare(door, this.#pearl.tip, Number.POSITIVE_INFINITY);
  }

  /** Only blocks that were mined are held; none is given up because a node has lost it (S-05, P-90). */
  #judgeTip(tip: StoredBlock | null): BlockNode | null {
    const before = this.#lastTip;
    if (tip === null) {
      assert.equal(before, null, "the store has lost its blocks");
      return null;
    }
    const block = this.#pearl.block(tip.hash);
    assert.ok(block !== null && block.height === tip.height, `nobody mined block ${tip.height} ${tip.hash}`);
    if (this.#heads.every((head) => head.height < block.height && isOneBranch(head, block)))
      this.#count("all nodes behind the index");
    if (before !== null && block.height < before.height && isOneBranch(block, before)) {
      this.#count("gone back on the way to another branch");
      assert.ok(
        this.#shown.some((head) => !isOneBranch(head, before)),
        "blocks were undone although no node has shown another branch",
      );
    }
    return block;
  }

  #lists(block: BlockNode): readonly WatchedList[] {
    const lists = watchedLists(this.#pearl.truthAt(block.hash));
    // Where nobody has done anything yet there are no addresses to ask for.
    return lists.filter(({ path }) => !path.includes("addresses=&") && !path.endsWith("addresses="));
  }

  async #compare(door: FrontDoor, block: BlockNode, most: number): Promise<void> {
    const truth = this.#pearl.truthAt(block.hash);
    const lists = this.#lists(block);
    for (let count = 0; count < Math.min(most, lists.length); count += 1) {
      this.#turn += 1;
      const list = lists[this.#turn % lists.length];
      if (list === undefined) continue;
      const { status, height, body } = await door.get(pathOf(list));
      assert.equal(status, 200, `${list.path}: ${body}`);
      assert.equal(height, block.height, `x-indexed-height of ${list.path}`);
      assert.deepEqual(rowsIn(body), list.rowsOf(truth).slice(0, LIMIT), list.path);
      this.#count("lists compared");
    }
  }

  /** One answer is of one state: that of some block at the height that it names (H-09). */
  async #judgeAnswer(list: WatchedList, { status, height, body }: Answer): Promise<void> {
    this.#count(`answered ${status}`);
    if (status !== 200) {
      assert.equal(status, 503, `${list.path}: ${body}`);
      return;
    }
    const rows = rowsIn(body);
    // An index without its first block has nothing to show.
    if (height === -1 && rows.length === 0) return;
    const states = [...this.#pearl.core.chain.index.all()].filter((block) => block.height === height);
    const fits = states.some((block) =>
      isSame(rows, list.rowsOf(this.#pearl.truthAt(block.hash)).slice(0, LIMIT)),
    );
    if (!fits) assert.fail(`${list.path} is of no state at height ${height}: ${body.slice(0, 300)}`);
  }

  /** P-30, summed from what is shown: what is held and burned is what was minted, and what is locked is on offer. */
  async #judgeSums(store: OpenedDatabase, door: FrontDoor): Promise<void> {
    const addresses = this.#pearl.addresses.join(",");
    const tokens = rowsIn((await door.get(`${PREFIX}/tokenlist?limit=${LIMIT}`)).body);
    const balances = rowsIn(
      (await door.get(`${PREFIX}/balances?addresses=${addresses}&limit=${LIMIT}`)).body,
    );
    const listings = (await store.dump()).listings as readonly DumpedListing[];
    for (const token of tokens) {
      const tick = String(token["tick"]);
      const own = balances.filter((row) => row["tick"] === tick);
      const offers = listings.filter(({ listing }) => listing.tick === tick && listing.close === null);
      const total = own.reduce((sum, row) => sum + amountOf(row, "total"), amountOf(token, "burned"));
      assert.equal(total, amountOf(token, "minted"), `what was minted of ${tick}`);
      assert.ok(amountOf(token, "minted") <= amountOf(token, "max"), `${tick} is minted beyond its maximum`);
      const locked = own.reduce((sum, row) => sum + amountOf(row, "locked"), 0n);
      assert.equal(
        locked,
        offers.reduce((sum, { listing }) => sum + BigInt(listing.amount), 0n),
        `locked of ${tick}`,
      );
    }
  }

  #count(what: string): void {
    this.met.set(what, (this.met.get(what) ?? 0) + 1);
  }
}

function pathOf({ path }: WatchedList): string {
  return withQuery(path, `limit=${LIMIT}`);
}

function rowsIn(body: string): readonly JsonRow[] {
  return (JSON.parse(body) as { readonly result: readonly JsonRow[] }).result;
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}

/** A listing as the dump of a store has it. */
interface DumpedListing {
  readonly listing: { readonly tick: string; readonly amount: string; readonly close: unknown };
}

function amountOf(row: JsonRow, field: string): bigint {
  return BigInt(String(row[field]));
}
