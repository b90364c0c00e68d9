// Shows blocks of the model chain as the port of the EVM follower has them. Logs are JSON: their real form is the
// adapter's business.

import type { EvmAddress } from "../../../../src/primitives/brands.ts";
import type { EvmBlock, EvmChain, EvmLog, EvmSource } from "../../../../src/swaps/evm/evm-chain.ts";
import type { EscrowEvent, EvmPlace } from "../../../../src/swap/facts.ts";
import { plainText, sha256Hex } from "../../../oracles/escrow.ts";
import type { WorldEvmBlock } from "./evm-world.ts";

const AMOUNTS = new Set([
  "usdcAmount",
  "pearlAmountSat",
  "nonce",
  "nonceBelow",
  "sellerNet",
  "fee",
  "amount",
]);

/** A block of the model as the port shows it. */
export function shownBlock(block: WorldEvmBlock): EvmBlock {
  const { number, hash, parentHash, time, txs, logs } = block;
  return {
    number,
    hash,
    parentHash,
    time,
    transactions: txs.map((tx) => tx.hash),
    mayHoldLogs: logs.length > 0,
  };
}

/** The logs of a block of the model as the port shows them. */
export function logsOf(block: WorldEvmBlock, address: EvmAddress): EvmLog[] {
  return wireLogs(block.logs, shownBlock(block), address);
}

/** These logs, in this order, as logs of a block with these transactions. */
export function wireLogs(
  logs: WorldEvmBlock["logs"],
  { number, hash, transactions }: Pick<EvmBlock, "number" | "hash" | "transactions">,
  address: EvmAddress,
): EvmLog[] {
  return logs.map(({ txIndex, log }, logIndex) => ({
    address,
    block: number,
    blockHash: hash,
    txHash: transactions[txIndex] ?? sha256Hex("no transaction"),
    txIndex,
    logIndex,
    topics: [sha256Hex(log.kind)],
    data: `0x${Buffer.from(plainText(log)).toString("hex")}`,
    removed: false,
  }));
}

/** Reads what `logsOf` wrote. */
function readWorldLog(log: EvmLog, place: EvmPlace): EscrowEvent {
  const text = Buffer.from(log.data.slice(2), "hex").toString();
  const read = JSON.parse(text, (name, value: unknown) =>
    AMOUNTS.has(name) && typeof value === "string" ? BigInt(value) : value,
  ) as Omit<EscrowEvent, "place">;
  return { ...read, place } as EscrowEvent;
}

/** The chain as the service is given it. */
export function worldEvmChain(sources: readonly EvmSource[], escrow: EvmAddress): EvmChain {
  return {
    sources,
    escrow,
    readLog: readWorldLog,
    accounts: {
      haveCode: async (addresses) => addresses.map(() => false),
      judgeSignature: async () => "invalid",
    },
    inspectEscrow: async () => ({ faults: [], usdc: escrow, minUsdc: 1_000_000n }),
    close: () => undefined,
  };
}
