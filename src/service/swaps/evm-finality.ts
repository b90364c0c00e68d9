// Does a reorganisation replace a block that was final, and is the RPC that shows it to be believed (S-05)?

import type { Log } from "../ports.ts";
import type { EvmChain, EvmSource } from "./evm-chain.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import type { ChainCheckpoint, LedgerWrites } from "./ports.ts";

/** What it is judged from. */
export interface FinalityParts {
  readonly chain: Pick<EvmChain, "sources">;
  readonly ledger: Pick<LedgerWrites, "tips" | "checkpoints">;
}

/**
 * Whether undoing all above `rewindTo`, as `source` has it, replaces a final block. Another RPC that still has it is
 * believed instead: rejects with `EvmUnavailable` BAD_ANSWER, and nothing may be undone.
 */
export async function replacesFinal(
  parts: FinalityParts,
  source: EvmSource,
  rewindTo: number,
): Promise<boolean> {
  const { chain, ledger } = parts;
  const { finalHeight } = ledger.tips().evm;
  if (rewindTo >= finalHeight) return false;
  const witness = ledger.checkpoints("evm").find(({ height }) => height <= finalHeight && height > rewindTo);
  for (const other of chain.sources) {
    if (other === source || witness === undefined || !(await hasBlock(other, witness))) continue;
    throw new EvmUnavailable(
      "BAD_ANSWER",
      `the RPC at ${source.name} has another block than ${witness.hash} at the final height ${witness.height}, ` +
        `which ${other.name} still has: it is not followed`,
    );
  }
  return true;
}

/** The alarm, to be given once the other branch was read and written. */
export function alarmFinalReplaced(log: Log, source: EvmSource, finalHeight: number, rewindTo: number): void {
  log.error(
    { alarm: "final_block_replaced", final_height: finalHeight, fork_height: rewindTo, rpc: source.name },
    `ALARM: the final EVM block ${finalHeight} was replaced from ${rewindTo + 1} on: new actions stay stopped until ` +
      "an operator has looked at the chain and starts the service again",
  );
}

/** Whether the RPC has this very block at its height; false also where it does not answer. */
async function hasBlock(source: EvmSource, checkpoint: ChainCheckpoint): Promise<boolean> {
  try {
    const [block] = await source.blocksAt([checkpoint.height]);
    return block?.hash === checkpoint.hash;
  } catch (error) {
    if (error instanceof EvmUnavailable) return false;
    throw error;
  }
}
