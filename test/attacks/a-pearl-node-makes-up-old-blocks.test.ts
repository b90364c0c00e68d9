// The followed PEARL node makes up an old block, and fills it with locks of a deal, when blocks are read again from there
// (anybody may ask for that by a hint). Above it the chain is everybody's, so that a witness vouches for it: a buyer who is
// told that the lock is good shows the secret for PEARL that nobody has locked (S-09, S-53).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SwapNode } from "../../src/follow/ports.ts";
import type { BlockHash, ScriptHex } from "../../src/primitives/brands.ts";
import { WINDOW_BLOCKS } from "../../src/swaps/pearl/pearl-headers.ts";
import { bytesOf, hash256, toDisplay } from "../../testkit/bytes.ts";
import { certificateLength, HEADER_BYTES } from "../../testkit/doubles/pearl-node/block-codec.ts";
import { coinbaseInput, key, sign, txidOf } from "../../testkit/doubles/pearl-node/test-wallet.ts";
import { PearlPort, viewOfCore } from "../../testkit/doubles/pearl-port.ts";
import { liar } from "../swaps-pearl/liar.ts";
import { AMOUNT, PearlChain, PearlStage } from "./pearl-stage.ts";

/** Height of the block that is made up. */
const OLD = 150;
/** With so many locks in it what a pass has found is handed over before it has read on. */
const LOCKS = 10_000;

/** Mines a block with so many locks, whoever pays for them. */
function mineLocks(chain: PearlChain, script: ScriptHex, length = LOCKS): void {
  const coin = coinbaseInput(chain.core, 5, key(1));
  const outputs = Array.from({ length }, () => ({ script: bytesOf(script), value: AMOUNT }));
  const raw = sign({ inputs: [{ sequence: 0xfffffffd, ...coin }], outputs });
  chain.invented.add(txidOf(raw));
  chain.mine([raw], 1);
}

/** A chain that leaves the honest one at `OLD`, with a block full of locks there. */
function madeUp(script: ScriptHex): PearlChain {
  const chain = new PearlChain();
  const first = chain.core.chain.index.at(OLD);
  assert.ok(first !== undefined);
  chain.core.invalidate(first.hash);
  mineLocks(chain, script);
  chain.mineEmpty(WINDOW_BLOCKS / 2, 1);
  return chain;
}

/** A node that has the honest chain, and another one for whoever asks for blocks from `OLD` on, as a pass does. */
function lyingOf(honest: PearlChain, other: { chain: PearlChain | null }): SwapNode {
  const port = new PearlPort(viewOfCore(honest.core));
  const made = (): PearlPort | null =>
    other.chain === null ? null : new PearlPort(viewOfCore(other.chain.core));
  const isMade = (hash: string): boolean =>
    honest.core.chain.index.get(hash) === undefined && other.chain !== null;
  return liar(port, {
    blockHashes: (from, count) =>
      from >= OLD && from < OLD + WINDOW_BLOCKS / 4
        ? (made() ?? port).blockHashes(from, count)
        : port.blockHashes(from, count),
    rawBlock: (hash) => (isMade(hash) ? (made() ?? port) : port).rawBlock(hash),
    rawHeaders: (hashes) => (hashes.some(isMade) ? (made() ?? port) : port).rawHeaders(hashes),
  });
}

describe("S-09: locks in an old block that the followed node has made up", () => {
  test("are not known, and nobody is told to show his secret for them", async () => {
    const [honest, witness] = [new PearlChain(), new PearlChain()];
    honest.mineEmpty(WINDOW_BLOCKS + 100);
    witness.takeFrom(honest);
    const other: { chain: PearlChain | null } = { chain: null };
    const stage = await PearlStage.overAll([lyingOf(honest, other), new PearlPort(viewOfCore(witness.core))]);
    await stage.follow();
    stage.watch.mempoolRead();
    assert.equal((await stage.told()).status, "USDC_LOCKED");
    other.chain = madeUp(stage.script);
    await stage.scene.ledger.write({ rereadFrom: OLD });
    await stage.follow().catch(() => undefined);
    await stage.look();
    const { actions, status, verdict } = await stage.told();
    assert.ok(!actions.includes("claim_pearl"), actions.join());
    assert.notEqual(verdict, true);
    assert.equal(status, "USDC_LOCKED");
  });

  test("are known where they are the chain's, as soon as so many are found", async () => {
    const chain = new PearlChain();
    const port = new PearlPort(viewOfCore(chain.core));
    const { script } = await PearlStage.over(port);
    mineLocks(chain, script);
    chain.mineEmpty(WINDOW_BLOCKS + 100);
    const said = { bodies: 0 };
    const stage = await PearlStage.over(
      liar(port, {
        rawBlock: (hash) => {
          said.bodies += 1;
          return said.bodies > WINDOW_BLOCKS / 2
            ? Promise.reject(new Error("no more blocks"))
            : port.rawBlock(hash);
        },
      }),
    );
    await assert.rejects(stage.follow(), /no more blocks/);
    assert.equal(stage.row().pearl_lock_outputs_total, LOCKS);
  });

  test("are undone with the branch that they are in, although the node says that it has their block still", async () => {
    const [honest, witness, branch] = [new PearlChain(), new PearlChain(), new PearlChain()];
    const shown = { isBranch: false, isLying: true };
    const ports = [honest, branch].map((chain) => new PearlPort(viewOfCore(chain.core)));
    const [true_, made] = ports;
    assert.ok(true_ && made);
    const height = honest.height + 1;
    const followed = liar(true_, {
      tip: () => (shown.isBranch ? made : true_).tip(),
      blockHash: (at) => (shown.isBranch ? made : true_).blockHash(at),
      blockHashes: async (from, count) => {
        const hashes = await (shown.isBranch ? made : true_).blockHashes(from, count);
        // Where what both have is looked for, and not where it is read.
        const isSearch =
          shown.isLying && !shown.isBranch && count > 1 && from > 0 && from % 200 !== 0 && from < height;
        const lie = isSearch ? await made.blockHash(height) : null;
        return lie === null ? hashes : hashes.map((hash, i) => (from + i === height ? lie : hash));
      },
      rawBlock: (hash) => (branch.core.chain.index.get(hash) === undefined ? true_ : made).rawBlock(hash),
      rawHeaders: (hashes) =>
        (hashes.some((hash) => branch.core.chain.index.get(hash) === undefined) ? true_ : made).rawHeaders(
          hashes,
        ),
    });
    const stage = await PearlStage.overAll([followed, new PearlPort(viewOfCore(witness.core))]);
    await stage.follow();
    stage.watch.mempoolRead();
    mineLocks(branch, stage.script, 1);
    branch.mineEmpty(WINDOW_BLOCKS + 50, 1);
    shown.isBranch = true;
    await stage.follow();
    assert.equal((await stage.told()).status, "PEARL_LOCKED");
    honest.mineEmpty(WINDOW_BLOCKS + 60);
    witness.takeFrom(honest);
    shown.isBranch = false;
    await stage.follow().catch(() => undefined);
    await stage.look();
    const { actions } = await stage.told();
    assert.ok(!actions.includes("claim_pearl"), actions.join());
    shown.isLying = false;
    await stage.follow();
    const heights = stage.row().pearl_lock_outputs.map((output) => output.height);
    assert.deepEqual(heights, [null], "it is in no block of the chain, and may wait to be mined again");
  });
});

/** A branch of this length above a height, whose blocks are older than those below: who makes it up need not mine. */
function olderBranch({ core, height: above }: PearlChain, length: number) {
  const chain = new PearlChain();
  chain.mineEmpty(above + length - chain.height, 2);
  const blocks = new Map<
    number,
    { readonly hash: BlockHash; readonly raw: Uint8Array; readonly header: Uint8Array }
  >();
  let previous = core.chain.tip.hash;
  for (let height = above + 1; height <= above + length; height += 1) {
    const raw = chain.core.chain.index.at(height)?.raw.slice() ?? new Uint8Array();
    const header = raw.subarray(certificateLength(raw) ?? 0).subarray(0, HEADER_BYTES);
    header.set(Buffer.from(previous, "hex").toReversed(), PARENT_AT);
    new DataView(header.buffer, header.byteOffset).setUint32(TIME_AT, height, true);
    previous = toDisplay(hash256(header));
    blocks.set(height, { hash: previous as BlockHash, raw, header });
  }
  return blocks;
}

/** Where the parent and the time stand in a header. */
const PARENT_AT = 4;
const TIME_AT = 68;

test("S-53: a lock is found although a branch was shown while its script was looked for, on which its block seemed too old to be read", async () => {
  const honest = new PearlChain();
  const port = new PearlPort(viewOfCore(honest.core));
  const { script } = await PearlStage.over(port);
  honest.mine([honest.payment(5, script).raw]);
  honest.mineEmpty(2);
  const fork = honest.height;
  const branch = olderBranch(honest, 2 * fork);
  const top = branch.get(3 * fork);
  assert.ok(top !== undefined);
  const byHash = new Map([...branch.values()].map((block) => [block.hash, block]));
  const shown = { isBranch: true };
  const of = (height: number): BlockHash | undefined =>
    shown.isBranch ? branch.get(height)?.hash : undefined;
  const node = liar(port, {
    tip: async () => (shown.isBranch ? { height: 3 * fork, hash: top.hash } : port.tip()),
    blockHash: async (at) => of(at) ?? port.blockHash(at),
    blockHashes: async (from, count) => {
      const hashes = Array.from({ length: count }, async (_, i) => of(from + i) ?? port.blockHash(from + i));
      return (await Promise.all(hashes)).filter((hash) => hash !== null);
    },
    rawBlock: async (hash) => byHash.get(hash)?.raw ?? port.rawBlock(hash),
    rawHeaders: async (hashes) =>
      Promise.all(
        hashes.map(
          async (hash) => byHash.get(hash)?.header ?? ((await port.rawHeaders([hash]))[0] as Uint8Array),
        ),
      ),
  });
  const stage = await PearlStage.over(node);
  await stage.follow();
  assert.equal((await stage.told()).status, "USDC_LOCKED");
  shown.isBranch = false;
  honest.mineEmpty(2);
  await stage.follow();
  assert.equal((await stage.told()).status, "LOCK_SUBMITTED");
});
