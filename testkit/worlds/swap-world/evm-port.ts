// Shows the service the EVM chain of a world: the port of its follower, over blocks of the model, with failures, stale
// heads and answers that cannot be true. Logs are JSON: their real form is the adapter's business.

import type { Bytes32, EvmAddress } from "../../../src/primitives/brands.ts";
import type { EvmBlock, EvmChain, EvmLog, EvmSource } from "../../../src/swaps/evm/evm-chain.ts";
import { EvmUnavailable } from "../../../src/swaps/evm/evm-unavailable.ts";
import type { EscrowEvent, EvmPlace } from "../../../src/swap/facts.ts";
import { plainText, sha256Hex } from "../../oracles/escrow.ts";
import type { EvmWorld, WorldEvmBlock } from "./evm-world.ts";
import type { FaultSource } from "./faults.ts";

/** What a source is made of. `finalOf`: the block that this RPC calls final. */
export interface EvmPortParts {
  readonly world: EvmWorld;
  readonly faults: FaultSource;
  readonly now: () => number;
  readonly escrow: EvmAddress;
  readonly finalOf: (head: number) => number;
}

const AMOUNTS = new Set(["usdcAmount", "pearlAmountSat", "nonce", "sellerNet", "fee", "amount"]);

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

/** One RPC. */
export class WorldEvmSource implements EvmSource {
  readonly name: string;
  readonly #parts: EvmPortParts;

  constructor(name: string, parts: EvmPortParts) {
    this.name = name;
    this.#parts = parts;
  }

  async heads(): ReturnType<EvmSource["heads"]> {
    const { world, finalOf } = this.#parts;
    const isStale = this.#fault("heads") === "stale";
    const head = world.at(Math.max(0, world.head.number - (isStale ? 3 : 0))) ?? world.head;
    const final = world.at(finalOf(head.number));
    return { head: shownBlock(head), final: final === null ? null : shownBlock(final) };
  }

  async blocksAt(numbers: readonly number[]): Promise<readonly (EvmBlock | null)[]> {
    const fault = this.#fault("blocksAt");
    return numbers.map((number) => {
      const block = this.#parts.world.at(number);
      if (block === null || (fault === "stale" && number > this.#parts.world.head.number - 3)) return null;
      const answer = shownBlock(block);
      return fault === "lie" ? { ...answer, hash: sha256Hex(`lie ${answer.hash}`) } : answer;
    });
  }

  async blocksByHash(hashes: readonly Bytes32[]): Promise<readonly (EvmBlock | null)[]> {
    if (this.#fault("blocksByHash") !== null) return hashes.map(() => null);
    return hashes.map((hash) => {
      const block = this.#parts.world.byHash(hash);
      return block === null ? null : shownBlock(block);
    });
  }

  async logs(from: number, to: number): ReturnType<EvmSource["logs"]> {
    const { world, escrow } = this.#parts;
    const fault = this.#fault("logs");
    const logs: EvmLog[] = [];
    for (let number = from; number <= to; number += 1) {
      const block = world.at(number);
      if (block !== null) logs.push(...logsOf(block, escrow));
    }
    if (fault === "lie")
      return { kind: "logs", logs: logs.map((log) => ({ ...log, blockHash: sha256Hex("x") })) };
    // Blocks before their logs: a node that is still writing.
    return { kind: "logs", logs: fault === "stale" && to - from < 16 ? [] : logs };
  }

  async logsOfBlock(hash: Bytes32): Promise<readonly EvmLog[]> {
    const block = this.#parts.world.byHash(hash);
    if (block === null || this.#fault("logsOfBlock") !== null)
      throw new EvmUnavailable("RPC_ERROR", `${this.name} does not know ${hash}`);
    return logsOf(block, this.#parts.escrow);
  }

  async receipts(txHashes: readonly Bytes32[]): ReturnType<EvmSource["receipts"]> {
    const { world, escrow } = this.#parts;
    const fault = this.#fault("receipts");
    return txHashes.map((txHash) => {
      const block = world.blockOf(txHash);
      if (block === null || fault !== null) return null;
      const logs = logsOf(block, escrow).filter((log) => log.txHash === txHash);
      return { txHash, blockHash: block.hash, logs };
    });
  }

  #fault(request: string): "stale" | "lie" | null {
    const { faults, now } = this.#parts;
    const fault = faults.draw(now());
    if (fault === "error") throw new EvmUnavailable("TIMEOUT", `${this.name} does not answer ${request}`);
    return fault;
  }
}

/** The chain as the service is given it. */
export function worldEvmChain(sources: readonly EvmSource[], escrow: EvmAddress): EvmChain {
  return {
    sources,
    escrow,
    readLog: readWorldLog,
    accounts: { haveCode: async () => [], judgeSignature: async () => "invalid" },
    inspectEscrow: async () => ({ faults: [], usdc: null, minUsdc: null }),
    close: () => undefined,
  };
}
