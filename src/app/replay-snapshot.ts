// Decides the last blocks of a snapshot again, from one's own node: they are undone in the file, fetched, and appended
// as by the service. Afterwards every row is what it was before, or the snapshot is wrong.

import { openIndexReader } from "../adapters/store-sqlite/read/index-reader.ts";
import type { SnapshotManifest } from "../adapters/store-sqlite/snapshot/manifest.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { openLog, redactedLog } from "../adapters/system/log.ts";
import { CommitFeed } from "../follow/commit-feed.ts";
import type { Log, PearlNode } from "../follow/ports.ts";
import { IndexProgress } from "../follow/progress.ts";
import { FOLLOWER_DEFAULTS, IndexFollower } from "../index/follower.ts";
import type { IndexingContext } from "../index/index-block.ts";
import type { FollowedStore } from "../index/ports.ts";
import { CommandRefused } from "./cli/ending.ts";
import { indexerOver } from "./compose-index.ts";
import type { Config } from "./config/config.ts";
import { closingOnFailure, openFoundation } from "./foundation.ts";
import { openDatabase } from "./open-database.ts";
import { MACHINE } from "./outside.ts";

/** A block that the snapshot holds. */
type KnownBlock = Pick<SnapshotManifest, "height" | "hash">;

/**
 * Replays the last `blocks` of the database in `file`, or all that can be undone; resolves with a sentence that says how
 * many gave the same rows. Rejects with `CommandRefused` where they give others.
 */
export async function replaySnapshot(
  config: Config,
  file: string,
  manifest: SnapshotManifest,
  blocks: number,
): Promise<string> {
  const log = redactedLog(openLog(config.logLevel), config.redact);
  const { node, context, closers } = openFoundation(config, log);
  return closingOnFailure(closers, async () => {
    const store = await openDatabase({ engine: "sqlite", file }, log);
    closers.add(() => store.close());
    await node.checkIdentity();
    const { height } = manifest;
    const toHeight = Math.max(height - blocks, await store.rewindFloor());
    const toHash = await store.blockHash(toHeight);
    if (toHash === null || toHeight === height)
      throw new CommandRefused(["the snapshot keeps no blocks that can be undone: give --digest-url"]);
    await judgeNode(node, manifest, { height: toHeight, hash: toHash });
    const before = openIndexReader(file);
    try {
      // From here on this reader sees the rows of the snapshot, whatever is written.
      await before.pin();
      await store.rewind({ toHeight, toHash, newTip: await node.tip() });
      await follow(endingAt(node, height), { config, store, context, log });
      await judge(before, file, manifest);
    } finally {
      await before.close();
    }
    await closers.closeAll();
    return `the last ${height - toHeight} blocks give the same digest and the same rows`;
  });
}

/** The node has the block of the snapshot, and the one to which it is undone. Rejects with what to do where not. */
async function judgeNode(node: PearlNode, last: KnownBlock, first: KnownBlock): Promise<void> {
  const tip = await node.tip();
  if (tip.height < last.height)
    throw new CommandRefused([
      `your node is at block ${tip.height}, the snapshot at ${last.height}: wait until the node has that block, then import again`,
    ]);
  for (const { height, hash } of [last, first]) {
    const theirs = await node.blockHash(height);
    if (theirs === null)
      throw new CommandRefused([
        `your node names no block ${height}, although it is at ${tip.height}: import again when it stands still`,
      ]);
    if (theirs !== hash)
      throw new CommandRefused([
        `your node has another block ${height} than the snapshot: take a newer snapshot, or look which of the two is on ` +
          "the best chain",
      ]);
  }
}

function follow(
  node: PearlNode,
  {
    config,
    store,
    context,
    log,
  }: {
    readonly config: Config;
    readonly store: FollowedStore;
    readonly context: IndexingContext;
    readonly log: Log;
  },
): Promise<void> {
  const follower = new IndexFollower(
    {
      node,
      store,
      indexer: indexerOver(context, store, MACHINE),
      progress: new IndexProgress(systemClock),
      feed: new CommitFeed(),
      clock: systemClock,
      log,
      metrics: { committed: () => undefined, rewound: () => undefined, failed: () => undefined },
    },
    { ...FOLLOWER_DEFAULTS, undoBlocks: config.undoBlocks },
  );
  return follower.run(new AbortController().signal, "tip");
}

/** The node as if its best chain ended at a height: rows of later blocks could be compared with none. */
function endingAt(node: PearlNode, height: number): PearlNode {
  return {
    checkIdentity: () => node.checkIdentity(),
    tip: async () => {
      const hash = await node.blockHash(height);
      return hash === null ? node.tip() : { height, hash };
    },
    blockHash: (of) => (of > height ? Promise.resolve(null) : node.blockHash(of)),
    blockHashes: (from, count) => node.blockHashes(from, Math.min(count, height + 1 - from)),
    rawBlock: (hash) => node.rawBlock(hash),
    mempoolTxids: () => node.mempoolTxids(),
    rawTransactions: (txids) => node.rawTransactions(txids),
    onTipChange: () => undefined,
    close: () => node.close(),
  };
}

/** The replay ends with the block and the digest of the snapshot, and with its rows. */
async function judge(
  before: ReturnType<typeof openIndexReader>,
  file: string,
  { height, hash, digest }: SnapshotManifest,
): Promise<void> {
  const after = openIndexReader(file);
  const [found] = await after.blocks(height, 1);
  await after.close();
  if (found?.hash !== hash || found.digest !== digest)
    throw new CommandRefused([`the snapshot is wrong: your node's blocks give another digest at ${height}`]);
  for await (const step of before.differencesFrom(file))
    if ("finding" in step)
      throw new CommandRefused([
        `the snapshot is wrong: your node's blocks give other rows: ${step.finding}`,
      ]);
}
