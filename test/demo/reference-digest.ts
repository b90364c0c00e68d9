// Says what the index should have said about the demo's chain: the reference implementation's digest of every block
// that the stopped demo left in its folder.

import { ReferenceIndex } from "../../testkit/oracles/prc20/index.ts";
import { startPearlNode } from "../../testkit/doubles/pearl-node/index.ts";

/** Digest by height, from 1 to the tip, of the active chain in a folder; and every operation's reason. */
export async function judgeChain(
  chainFolder: string,
  feeAddress: string,
): Promise<{ readonly digests: ReadonlyMap<number, string>; readonly reasons: ReadonlySet<string> }> {
  const miningScript = new Uint8Array([0x51, 0x20, ...new Uint8Array(32).fill(1)]);
  const node = await startPearlNode({ folder: chainFolder, rpcUser: "u", rpcPassword: "p", miningScript });
  try {
    const { genesisHash, hrp } = node.network;
    const reference = new ReferenceIndex({ genesisHash, hrp, startHeight: 1, feeBps: 100, feeAddress });
    const digests = new Map<number, string>();
    for (let height = 1; height <= node.chain.tip.height; height += 1) {
      const block = node.chain.index.at(height);
      if (block === undefined) throw new Error(`no block at height ${height}`);
      const transactions = node.chain.index.block(block).txs.map(({ raw }) => raw);
      reference.apply({ height, hash: block.hash, time: block.header.time, transactions });
      digests.set(height, reference.digest());
    }
    const { operations } = reference.snapshot();
    return { digests, reasons: new Set(operations.map(({ reason }) => reason ?? "")) };
  } finally {
    await node.close();
  }
}
