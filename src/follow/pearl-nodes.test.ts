// Of several PEARL nodes the right one is followed, and what the others are worth is told (S-09, H-20). The nodes are
// lists of hashes, and the test sets the clock.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BlockHash } from "../primitives/brands.ts";
import { FollowedNode } from "./pearl-nodes.ts";
import type { NodeTip, SwapNode } from "./ports.ts";
import { handClock } from "../../testkit/doubles/clock.ts";
import { textLog } from "../../testkit/doubles/log.ts";

/** A node whose chain is `shared` blocks of the common one and then its own. */
class FakeNode {
  readonly name: string;
  /** One letter per block; the letter is the branch. */
  chain: string;
  isSilent = false;
  isHanging = false;
  isForeign = false;
  readonly asked: string[] = [];
  announce: (tip?: NodeTip) => void = () => undefined;

  constructor(name: string, chain: string) {
    this.name = name;
    this.chain = chain;
  }

  hash(height: number): BlockHash | null {
    if (height >= this.chain.length) return null;
    // A hash names all blocks before it.
    return this.chain.slice(0, height + 1) as BlockHash;
  }

  port(): SwapNode {
    const answer = <Value>(method: string, value: () => Value): Promise<Value> => {
      this.asked.push(method);
      if (this.isHanging) return new Promise<Value>(() => undefined);
      return this.isSilent ? Promise.reject(new Error(`${this.name} is silent`)) : Promise.resolve(value());
    };
    const tip = (): NodeTip => {
      const height = this.chain.length - 1;
      return { height, hash: this.chain as BlockHash };
    };
    return {
      checkIdentity: async () => {
        await answer("checkIdentity", () => undefined);
        if (this.isForeign) throw Object.assign(new Error("another network"), { code: "WRONG_NETWORK" });
      },
      tip: () => answer("tip", tip),
      blockHash: (height) => answer("blockHash", () => this.hash(height)),
      blockHashes: (from, count) =>
        answer("blockHashes", () =>
          Array.from({ length: count }, (_, i) => this.hash(from + i)).filter((hash) => hash !== null),
        ),
      rawBlock: () => answer("rawBlock", () => new TextEncoder().encode(this.name)),
      rawHeaders: () => answer("rawHeaders", () => []),
      connections: () => answer("connections", () => 8),
      mempoolTxids: () => answer("mempoolTxids", () => []),
      rawTransactions: () => answer("rawTransactions", () => []),
      onTipChange: (listener) => {
        this.announce = listener;
      },
      close: async () => undefined,
    };
  }
}

/** Nodes with these chains, the first of them followed. */
function stage(...chains: readonly [string, ...string[]]) {
  const time = { ms: 1000 };
  const clock = handClock(
    () => 0,
    () => time.ms,
  );
  const lines: string[] = [];
  const log = textLog(lines);
  const [first, ...others] = chains;
  const a = new FakeNode("a", first);
  const nodes = [a, ...others.map((chain, i) => new FakeNode("bcd"[i] ?? "?", chain))];
  const opened = nodes.map((node) => ({ name: node.name, node: node.port() }));
  const [head, ...rest] = opened;
  if (head === undefined) throw new Error("no node");
  const followed = new FollowedNode([head, ...rest], clock, log);
  return {
    nodes,
    followed,
    lines,
    /** Looks at all that do not hang, `seconds` later. */
    after: async (seconds: number) => {
      time.ms += seconds * 1000;
      for (const [place, node] of nodes.entries()) {
        if (node.isHanging) void followed.look(place);
        else await followed.look(place);
      }
    },
  };
}

/** A chain of `shared` blocks of the common branch and then `own` blocks of another. */
const chain = (shared: number, own = 0, branch = "x"): string => "a".repeat(shared) + branch.repeat(own);

describe("S-09: the followed node", () => {
  test("one node alone has no witnesses, and nobody to be replaced by", async () => {
    const { followed, nodes, after } = stage(chain(20));
    await after(1);
    assert.equal(followed.witnesses(), null);
    assert.deepEqual(followed.counts(), { configured: 1, answering: 1, agreeing: 1 });
    for (const node of nodes) node.isSilent = true;
    await after(31);
    await after(600);
    assert.equal(followed.place, 0);
    assert.deepEqual(followed.counts(), { configured: 1, answering: 0, agreeing: 0 });
  });

  test("a question that a stop ends is no node that does not answer", async () => {
    const { followed, nodes, after, lines } = stage(chain(20), chain(20));
    await after(1);
    await followed.close();
    // As a closed client ends what it was asked.
    for (const node of nodes) node.isSilent = true;
    await after(2);
    assert.deepEqual(lines, []);
  });

  test("silent for 30 s it is replaced by the next that answers, and comes back the same way", async () => {
    const { followed, nodes, after, lines } = stage(chain(20), chain(20), chain(20));
    const [a, b, c] = nodes;
    assert.ok(a && b && c);
    await after(1);
    a.isSilent = true;
    b.isSilent = true;
    for (let s = 0; s < 30; s += 2) await after(2);
    assert.equal(followed.place, 0, "30 s are allowed");
    await after(1);
    assert.equal(followed.place, 2, "the next one, b, does not answer");
    assert.match(lines.join("\n"), /alarm: the followed PEARL node has not answered for 30 s.*"to":"c"/);
    assert.deepEqual(await followed.rawBlock("00" as BlockHash), new TextEncoder().encode("c"));
    a.isSilent = false;
    await after(2);
    assert.equal(followed.place, 2, "an answer alone takes nothing back");
    c.isSilent = true;
    for (let s = 0; s < 32; s += 2) await after(2);
    assert.equal(followed.place, 0);
  });

  test("one that has never answered is replaced, too", async () => {
    const { followed, nodes, after } = stage(chain(20), chain(20));
    for (const node of nodes.slice(0, 1)) node.isSilent = true;
    await after(10);
    assert.equal(followed.place, 0);
    await after(21);
    assert.equal(followed.place, 1);
  });

  test("a question that hangs ends as the node's failure when another is followed", async () => {
    const { followed, nodes, after } = stage(chain(20), chain(20));
    await after(1);
    for (const node of nodes.slice(0, 1)) node.isHanging = true;
    const hanging = followed.rawBlock("00" as BlockHash).then(
      () => "answered",
      (error: Error) => error.name,
    );
    const told: number[] = [];
    followed.onTipChange(() => told.push(followed.place));
    for (let s = 0; s < 32; s += 2) await after(2);
    assert.equal(await hanging, "NodeError");
    assert.deepEqual(told, [1], "followers look again at once");
    assert.equal((await followed.tip()).height, 19);
  });

  test("two others more than 2 blocks ahead for 10 min: the next of them is followed", async () => {
    const { followed, nodes, after } = stage(chain(20), chain(23), chain(23));
    const [, b] = nodes;
    assert.ok(b);
    await after(1);
    for (let s = 0; s < 590; s += 2) await after(2);
    // For a moment only one is ahead: the 10 minutes begin anew for it.
    b.chain = chain(22);
    await after(2);
    b.chain = chain(23);
    for (let s = 0; s < 600; s += 2) await after(2);
    assert.equal(followed.place, 0);
    await after(2);
    assert.equal(followed.place, 1);
  });

  test("one other ahead, or two by two blocks, replace nobody", async () => {
    for (const chains of [
      [chain(20), chain(40), chain(20)],
      [chain(20), chain(22), chain(22)],
    ] as const) {
      const { followed, after } = stage(...chains);
      for (let s = 0; s < 1300; s += 10) await after(10);
      assert.equal(followed.place, 0);
    }
  });

  test("announcements of the followed node alone are heard", async () => {
    const { followed, nodes, after } = stage(chain(20), chain(20));
    const [a, b] = nodes;
    assert.ok(a && b);
    const told: (number | undefined)[] = [];
    followed.onTipChange((tip) => told.push(tip?.height));
    a.announce({ height: 21, hash: "x" as BlockHash });
    b.announce({ height: 90, hash: "x" as BlockHash });
    assert.deepEqual(told, [21]);
    a.isSilent = true;
    await after(31);
    b.announce({ height: 22, hash: "x" as BlockHash });
    a.announce({ height: 91, hash: "x" as BlockHash });
    assert.deepEqual(told, [21, undefined, 22]);
  });

  test("a node of another network is left out and told", async () => {
    const { followed, nodes, after, lines } = stage(chain(20), chain(20));
    const [a, b] = nodes;
    assert.ok(a && b);
    b.isForeign = true;
    await after(1);
    assert.deepEqual(followed.counts(), { configured: 2, answering: 1, agreeing: 1 });
    assert.deepEqual(followed.witnesses(), []);
    assert.match(lines.join("\n"), /a PEARL node is left out: another network/);
    assert.ok(!b.asked.includes("tip"));
    a.isSilent = true;
    await after(31);
    assert.equal(followed.place, 0, "nor is it followed");
  });
});

describe("the network of the followed node", () => {
  test("nothing is asked of one of another network, and everything once it is of ours", async () => {
    const { followed, nodes } = stage(chain(20));
    const [a] = nodes;
    assert.ok(a);
    a.isForeign = true;
    const questions = [
      () => followed.tip(),
      () => followed.blockHashes(0, 5),
      () => followed.rawHeaders([chain(20) as BlockHash]),
      () => followed.mempoolTxids(),
    ];
    for (const question of questions) await assert.rejects(question(), /another network/);
    assert.deepEqual(new Set(a.asked), new Set(["checkIdentity"]));
    a.isForeign = false;
    for (const question of questions) await question();
    assert.equal(a.asked.filter((method) => method === "checkIdentity").length, questions.length + 1);
  });

  test("one that was away may have come back as another: it is asked again", async () => {
    const { followed, nodes, after } = stage(chain(20));
    const [a] = nodes;
    assert.ok(a);
    await followed.tip();
    a.isSilent = true;
    await after(2);
    a.isSilent = false;
    a.isForeign = true;
    await assert.rejects(followed.tip(), /another network/);
  });
});

describe("S-09: witnesses", () => {
  test("their newest hashes, asked for once per tip", async () => {
    const { followed, nodes, after } = stage(chain(150), chain(149, 3));
    const [, b] = nodes;
    assert.ok(b);
    for (let s = 0; s < 20; s += 2) await after(2);
    assert.equal(b.asked.filter((method) => method === "blockHashes").length, 1);
    const [witness] = followed.witnesses() ?? [];
    assert.ok(witness);
    assert.equal(witness.tip.height, 151);
    assert.equal(witness.from, 52);
    assert.equal(witness.hashAt(148), chain(149));
    assert.equal(witness.hashAt(149), chain(149, 1));
    assert.equal(witness.hashAt(51), null);
    b.isSilent = true;
    await after(31);
    assert.deepEqual(followed.witnesses(), [], "30 s after its last answer it counts no more");
  });

  test("H-20: agreeing is who has our chain, its beginning or its continuation", async () => {
    for (const [other, agreeing] of [
      [chain(20), 2],
      [chain(19), 2],
      [chain(23), 2],
      [chain(19, 1), 1],
      [chain(5, 30), 1],
    ] as const) {
      const { followed, after } = stage(chain(20), other);
      await after(1);
      assert.deepEqual(followed.counts(), { configured: 2, answering: 2, agreeing }, other);
    }
  });

  test("H-20: forks of one block happen; deeper ones, and those that stay, are told", async () => {
    const codes = ({ followed }: ReturnType<typeof stage>) => followed.conditions().map(({ code }) => code);
    for (const [other, told] of [
      [chain(20), []],
      [chain(15), []],
      [chain(19, 1), []],
      [chain(18, 2), ["PEARL_NODES_DISAGREE"]],
      [chain(18, 40), ["PEARL_NODES_DISAGREE"]],
    ] as const) {
      const played = stage(chain(20), other);
      await played.after(1);
      assert.deepEqual(codes(played), told, other);
    }
    const stays = stage(chain(20), chain(19, 1));
    for (let s = 0; s < 600; s += 10) await stays.after(10);
    assert.deepEqual(codes(stays), []);
    await stays.after(10);
    assert.deepEqual(codes(stays), ["PEARL_NODES_DISAGREE"]);
    for (const node of stays.nodes)
      assert.ok(!JSON.stringify(stays.followed.conditions()).includes(`"${node.name}"`));
    const gone = stage(chain(20), chain(10, 10));
    await gone.after(1);
    for (const node of gone.nodes.slice(1)) node.isSilent = true;
    await gone.after(31);
    assert.deepEqual(codes(gone), [], "a silent node says nothing");
  });

  test("H-20: one other that has been more than 2 blocks ahead for 10 min is told of, and followed no more than before", async () => {
    const codes = ({ followed }: ReturnType<typeof stage>) => followed.conditions().map(({ code }) => code);
    for (const [others, told] of [
      [[chain(22)], []],
      [[chain(23)], ["PEARL_NODES_DISAGREE"]],
      [[chain(20), chain(23)], ["PEARL_NODES_DISAGREE"]],
      // So far ahead that it names none of the followed one's blocks, which therefore no other node shows.
      [[chain(140)], ["PEARL_NODES_DISAGREE", "PEARL_UNWITNESSED"]],
    ] as const) {
      const played = stage(chain(20), ...others);
      for (let s = 0; s < 600; s += 10) await played.after(10);
      assert.ok(!codes(played).includes("PEARL_NODES_DISAGREE"), "a node may be late for 10 min");
      await played.after(10);
      assert.deepEqual(codes(played), told, others.join());
      for (let s = 0; s < 1200; s += 10) await played.after(10);
      assert.deepEqual(codes(played), told, others.join());
      assert.equal(played.followed.place, 0, "nobody else is followed");
    }
    const { followed, nodes, after } = stage(chain(20), chain(20), chain(23));
    for (let s = 0; s < 620; s += 10) await after(10);
    const [{ sentence } = { sentence: "" }] = followed.conditions();
    assert.match(sentence, /^PEARL node 3 .* ahead of node 1, which is followed/);
    for (const node of nodes.slice(0, 1)) node.chain = chain(21);
    await after(2);
    assert.deepEqual(followed.conditions(), [], "it gets on again");
  });

  test("H-20: where no other node has shown the newest blocks for a minute, that is told, and no moment of it", async () => {
    const codes = ({ followed }: ReturnType<typeof stage>) => followed.conditions().map(({ code }) => code);
    const lone = stage(chain(20));
    for (let s = 0; s < 120; s += 10) await lone.after(10);
    assert.deepEqual(codes(lone), [], "nobody has asked for a second opinion");
    for (const [other, told] of [
      [chain(20), []],
      [chain(18), []],
      [chain(19, 1), []],
      [chain(23), []],
      [chain(17), ["PEARL_UNWITNESSED"]],
      [chain(2), ["PEARL_UNWITNESSED"]],
      [chain(18, 2), ["PEARL_NODES_DISAGREE"]],
    ] as const) {
      const played = stage(chain(20), other);
      for (let s = 0; s < 60; s += 10) await played.after(10);
      assert.deepEqual(
        codes(played),
        told.filter((code) => code !== "PEARL_UNWITNESSED"),
        other,
      );
      await played.after(10);
      assert.deepEqual(codes(played), told, other);
    }
    const gone = stage(chain(20), chain(20), chain(20));
    const [, b, c] = gone.nodes;
    assert.ok(b && c);
    for (const node of [b, c]) node.isSilent = true;
    for (let s = 0; s < 120; s += 10) await gone.after(10);
    assert.deepEqual(codes(gone), ["PEARL_UNWITNESSED"]);
    assert.match(gone.followed.conditions()[0]?.sentence ?? "", /\(1 of 3 answer\)/);
    c.isSilent = false;
    await gone.after(2);
    assert.deepEqual(codes(gone), []);
  });
});
