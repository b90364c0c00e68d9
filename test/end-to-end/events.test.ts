// A consumer of the event stream hears exactly what happened (H-39): through commits, a reorganisation and a restart,
// with and without filters, live and resumed, against the events that the reference gives rise to.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { MadeBlock } from "../../testkit/builders/chain-maker/index.ts";
import { busiest, busiestTick } from "../../testkit/oracles/answers/cases.ts";
import { type Branch, ForkingChain } from "./chains.ts";
import { EventStream, type StreamedEvent } from "./event-stream.ts";
import {
  blockEvents,
  type ExpectedEvent,
  reorgEvent,
} from "../../testkit/oracles/answers/expected-events.ts";
import { type LiveIndex, withIndex } from "./live-index.ts";
import { blockAt, tipOf, type Truth, truthsOf } from "../../testkit/oracles/answers/truth.ts";

/** The events of the blocks above `from` up to `to`. */
function eventsOf(truths: readonly Truth[], from: number, to = Number.MAX_SAFE_INTEGER): ExpectedEvent[] {
  const wanted = truths.filter((truth) => tipOf(truth).height > from && tipOf(truth).height <= to);
  return wanted.flatMap(blockEvents);
}

function allTruths({ params, base, counted }: Branch): Truth[] {
  return truthsOf(params, base, counted, 0);
}

function assertEvents(got: readonly StreamedEvent[], expected: readonly ExpectedEvent[]): void {
  assert.deepEqual(
    got.map(({ event, data }) => ({
      event,
      height: data.height,
      block_hash: data.block_hash,
      row: data.row,
    })),
    expected.map(({ event, height, block_hash, row }) => ({ event, height, block_hash, row })),
  );
  for (const [at, { id }] of got.entries()) {
    assert.ok(at === 0 || id > (got[at - 1]?.id ?? 0), "ids grow");
  }
}

/** A chain with a reorganisation: first 30 blocks, then from block 24 another branch of 9. */
function story(seed: number) {
  const chain = new ForkingChain(seed, { actors: 5 }).grow(30);
  const old = chain.branch();
  const fresh = chain.reorganise(6, 9).branch();
  const [oldTruths, freshTruths] = [allTruths(old), allTruths(fresh)];
  const oldTip = oldTruths.at(-1);
  const freshTip = freshTruths.at(-1);
  if (oldTip === undefined || freshTip === undefined) throw new Error("no truths");
  const reorg = reorgEvent(blockAt(oldTip, 24), tipOf(oldTip), tipOf(freshTip));
  return { old, fresh, oldTruths, freshTruths, oldTip, freshTip, reorg };
}

/** Blocks above the 12th the rest one by one and in batches, then the other branch. */
async function play(
  index: LiveIndex,
  { old, fresh }: ReturnType<typeof story>,
  settle: () => Promise<unknown>,
) {
  for (const height of [13, 14, 15, 22, 23, 30]) await index.follow(old.blocks.slice(0, height));
  // Whoever is slower than a reorganisation need not hear of the blocks that it undoes.
  await settle();
  await index.follow(fresh.blocks);
}

test("a consumer hears every block, operation, listing and reorganisation once and in order", async () => {
  const told = story(900);
  const { old, oldTruths, freshTruths, oldTip, reorg } = told;
  await withIndex(old.params, {}, async (index) => {
    await index.follow(old.blocks.slice(0, 12));
    const stream = await EventStream.open(index);
    const before = eventsOf(oldTruths, 12, 30);
    const expected = [...before, reorg, ...eventsOf(freshTruths, 24)];
    await play(index, told, () => stream.settled(before.length));
    assertEvents(await stream.settled(expected.length), expected);
    const kinds = new Set(expected.map(({ event }) => event));
    assert.deepEqual([...kinds].toSorted(), ["block", "listing", "operation", "reorg"]);
    assert.ok(expected.length > 150 && oldTip.snapshot.listings.length > 10);
    stream.close();
  });
});

test("filters by ticker and address let through what concerns them, and every block and reorganisation", async () => {
  const told = story(910);
  const { old, oldTruths, freshTruths, oldTip, reorg } = told;
  const tick = busiestTick(oldTip);
  const [address = ""] = busiest(oldTip);
  const filters = [{ tick }, { address }, { tick, address }, { tick: "NOSUCHTOKEN" }];
  await withIndex(old.params, {}, async (index) => {
    await index.follow(old.blocks.slice(0, 12));
    const before = eventsOf(oldTruths, 12, 30);
    const all = [...before, reorg, ...eventsOf(freshTruths, 24)];
    const streams = await Promise.all(
      filters.map((filter) => {
        // Letter case does not matter.
        const written = Object.entries(filter).map(([name, value]) => `${name}=${value.toLowerCase()}`);
        return EventStream.open(index, `?${written.join("&")}`);
      }),
    );
    const passing = (events: readonly ExpectedEvent[], at: number) =>
      events.filter((event) => event.passes(filters[at] ?? {}));
    const settle = () => Promise.all(streams.map((stream, at) => stream.settled(passing(before, at).length)));
    await play(index, told, settle);
    for (const [at, stream] of streams.entries()) {
      const expected = passing(all, at);
      assertEvents(await stream.settled(expected.length), expected);
      stream.close();
    }
    const sizes = filters.map((_, at) => passing(all, at).length);
    assert.ok(new Set(sizes).size === sizes.length, `filters differ: ${sizes.join(" ")}`);
  });
});

/** Runs a job with a database file that is there for several services one after the other. */
async function withFile(job: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "strand-events-"));
  try {
    await job(join(folder, "index.db"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("Last-Event-ID resumes over a restart without gap or double, with the same bytes", async () => {
  const told = story(920);
  const { old, fresh, oldTruths, freshTruths, reorg } = told;
  await withFile(async (file) => {
    const live = await withIndex(old.params, { file }, async (index) => {
      await index.follow(old.blocks.slice(0, 12));
      const stream = await EventStream.open(index);
      await index.follow(old.blocks.slice(0, 24));
      const expected = eventsOf(oldTruths, 12, 24);
      assertEvents(await stream.settled(expected.length), expected);
      stream.close();
      return stream.events;
    });
    // While nobody listened and while nothing ran, the chain has gone on and has been reorganised.
    await withIndex(old.params, { file }, async (index) => index.follow(old.blocks));
    await withIndex(old.params, { file }, async (index) => {
      await index.follow(fresh.blocks);
      const afterwards = [reorg, ...eventsOf(freshTruths, 24)];
      for (const at of [0, 1, Math.floor(live.length / 2), live.length - 2, live.length - 1]) {
        const stream = await EventStream.open(index, "", live[at]?.id ?? -1);
        const rest = live.slice(at + 1);
        const got = await stream.settled(rest.length + afterwards.length);
        assert.deepEqual(
          got.slice(0, rest.length).map(({ raw }) => raw),
          rest.map(({ raw }) => raw),
        );
        assertEvents(got.slice(rest.length), afterwards);
        assert.ok((got[rest.length]?.id ?? 0) > (live.at(-1)?.id ?? 0));
        stream.close();
      }
    });
  });
});

/** The reorganisation towards a new tip of this height. */
function reorgAt({ oldTip, freshTruths }: ReturnType<typeof story>, height: number): ExpectedEvent {
  const newTip = freshTruths.find((truth) => tipOf(truth).height === height);
  if (newTip === undefined) throw new Error(`no state ${height}`);
  return reorgEvent(blockAt(oldTip, 24), tipOf(oldTip), tipOf(newTip));
}

test("an id of an undone block, or one that nobody has given, is answered by a reset", async () => {
  const told = story(930);
  const { old, fresh, oldTruths, freshTruths } = told;
  await withFile(async (file) => {
    const live = await withIndex(old.params, { file }, async (index) => {
      await index.follow(old.blocks.slice(0, 20));
      const stream = await EventStream.open(index);
      await index.follow(old.blocks);
      await stream.settled(eventsOf(oldTruths, 20).length);
      stream.close();
      await index.follow(fresh.blocks.slice(0, 31));
      return stream.events;
    });
    await withIndex(old.params, { file }, async (index) => {
      await index.follow(fresh.blocks.slice(0, 32));
      const undone = live.filter(({ data }) => data.height > 24);
      assert.ok(undone.length > 10);
      const ids = [undone[0]?.id, undone.at(-1)?.id, 10 ** 9, "nonsense", "-1", "0"];
      const streams = await Promise.all(ids.map((id) => EventStream.open(index, "", id ?? "")));
      const held = await EventStream.open(
        index,
        "",
        live.findLast(({ data }) => data.height === 24)?.id ?? -1,
      );
      await Promise.all(streams.map((stream) => stream.settled(1)));
      await index.follow(fresh.blocks);
      const after = eventsOf(freshTruths, 32);
      const { hash } = blockAt(told.freshTip, 32);
      for (const [at, stream] of streams.entries()) {
        const [first, ...rest] = await stream.settled(1 + after.length);
        assert.deepEqual(
          [first?.event, first?.data],
          ["reset", { height: 32, block_hash: hash }],
          String(ids[at]),
        );
        assertEvents(rest, after);
        assert.ok((rest[0]?.id ?? 0) > (first?.id ?? 0));
        stream.close();
      }
      const expected = [reorgAt(told, 31), ...eventsOf(freshTruths, 24)];
      assertEvents(await held.settled(expected.length), expected);
      held.close();
    });
  });
});

/** The chain as a consumer knows it from events alone; a hole in it fails. */
class Follower {
  /** Hashes by height, from the height at which it began to listen. */
  readonly blocks = new Map<number, string>();
  lastId: number;
  /** It has heard of every block above this height. */
  since: number;
  #taken = 0;

  constructor(startId: number, since: number) {
    this.lastId = startId;
    this.since = since;
  }

  take(events: readonly StreamedEvent[]): void {
    for (const { id, event, data } of events.slice(this.#taken)) {
      assert.ok(id > this.lastId, "no event twice");
      this.lastId = id;
      // Its last id was of an undone block: what it knew is void.
      if (event === "reset") this.#restart(data.height);
      if (event === "reorg") this.#rewind(Number(data.row?.["fork_height"]));
      if (event !== "block") continue;
      const top = Math.max(...this.blocks.keys());
      if (this.blocks.size > 0) assert.equal(data.height, top + 1, "no block is left out");
      this.blocks.set(data.height, data.block_hash);
    }
    this.#taken = events.length;
  }

  /** The next connection begins to count anew. */
  reconnected(): void {
    this.#taken = 0;
  }

  /** Whether it has heard of this block, or was told to begin there. */
  isAt(block: MadeBlock | undefined): boolean {
    return (
      block !== undefined && (this.blocks.get(block.height) === block.hash || this.since >= block.height)
    );
  }

  #restart(height: number): void {
    this.blocks.clear();
    this.since = height;
  }

  #rewind(forkHeight: number): void {
    // A reset may tell of a state whose reorganisation comes after it.
    this.since = Math.min(this.since, forkHeight);
    for (const height of this.blocks.keys()) if (height > forkHeight) this.blocks.delete(height);
  }
}

test("branches that take turns, faster than a consumer listens, leave it with the blocks of the last one", async () => {
  const chain = new ForkingChain(940, { actors: 5, transactions: 5 }).grow(26);
  const branches = [chain.branch(), chain.reorganise(9, 10).branch(), chain.reorganise(4, 5).branch()];
  const [one, two, three] = branches;
  assert.ok(one !== undefined && two !== undefined && three !== undefined);
  await withIndex(one.params, {}, async (index) => {
    await index.follow(one.blocks.slice(0, 10));
    const steady = await EventStream.open(index);
    await index.follow(one.blocks.slice(0, 11));
    const first = (await steady.settled(1)).at(-1);
    assert.ok(first !== undefined);
    const resuming = new Follower(first.id, 11);
    let stream = await EventStream.open(index, "", resuming.lastId);
    for (const branch of [one, two, one, three, two, three, one, two]) {
      await index.follow(branch.blocks);
      resuming.take(stream.events);
      stream.close();
      resuming.reconnected();
      stream = await EventStream.open(index, "", resuming.lastId);
    }
    const listening = new Follower(0, 10);
    for (let waited = 0; waited < 3000; waited += 1) {
      resuming.take(stream.events);
      listening.take(steady.events);
      if ([resuming, listening].every((consumer) => consumer.isAt(two.blocks.at(-1)))) break;
      await pause(20);
    }
    for (const consumer of [resuming, listening]) {
      const above: readonly MadeBlock[] = two.blocks.filter((block) => block.height > consumer.since);
      assert.deepEqual(consumer.blocks, new Map(above.map(({ height, hash }) => [height, hash])));
    }
    assert.equal(listening.since, 10, "who stays is never reset");
    stream.close();
    steady.close();
  });
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
