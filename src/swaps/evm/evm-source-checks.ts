// Refuses what cannot be true of an RPC by itself (S-07), so that it counts as no answer: a final block above the RPC's
// own latest, and a block of the far future, which would move *now* and with it every expiry. Every block that comes in
// passes here.

import type { Clock } from "../../follow/ports.ts";
import type { EvmBlock, EvmSource } from "./evm-chain.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";

/** Seconds that a block's time may be ahead of the service's clock (S-07); a PEARL block's, too. */
export const MAX_AHEAD_S = 900;

/**
 * The source, whose impossible answers reject with `EvmUnavailable` BAD_ANSWER. `maxAheadS` null: block times are not
 * compared with the clock (simnet and regtest, where tests move the time).
 */
export function checkedSource(source: EvmSource, clock: Clock, maxAheadS: number | null): EvmSource {
  const check = (block: EvmBlock): void => {
    const ahead = block.time - Math.floor(clock.nowMs() / 1000);
    if (maxAheadS === null || ahead <= maxAheadS) return;
    throw new EvmUnavailable(
      "BAD_ANSWER",
      `block ${block.number} (${block.hash}) at ${source.name} has a time ${ahead} s ahead of this machine's clock: ` +
        "the RPC is wrong, or the clock is",
    );
  };
  const checkAll = (blocks: readonly (EvmBlock | null)[]): readonly (EvmBlock | null)[] => {
    for (const block of blocks) if (block !== null) check(block);
    return blocks;
  };
  return {
    name: source.name,
    heads: async () => {
      const heads = await source.heads();
      check(heads.head);
      if (heads.final !== null && heads.final.number > heads.head.number) {
        throw new EvmUnavailable(
          "BAD_ANSWER",
          `${source.name} calls block ${heads.final.number} final, and its latest block is ${heads.head.number}`,
        );
      }
      return heads;
    },
    blocksAt: async (numbers, isPoll) => checkAll(await source.blocksAt(numbers, isPoll)),
    blocksByHash: async (hashes) => checkAll(await source.blocksByHash(hashes)),
    logs: (from, to) => source.logs(from, to),
    logsOfBlock: (hash) => source.logsOfBlock(hash),
    receipts: (txHashes) => source.receipts(txHashes),
  };
}
