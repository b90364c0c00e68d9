// The EVM chain of a world: blocks with their state, a pool whose order the miner chooses, final blocks that stay, and
// reorganisations of those above them.

import type { Bytes32, EvmAddress } from "../../../../src/primitives/brands.ts";
import type { Random } from "../../../random.ts";
import {
  type Call,
  conservationFault,
  type EscrowLog,
  type EscrowSettings,
  type EscrowStorage,
  execute,
  freshStorage,
  plainText,
  sha256Hex,
} from "../../../oracles/escrow.ts";

/** A transaction. */
export interface EvmTx {
  readonly hash: Bytes32;
  readonly from: EvmAddress;
  readonly call: Call;
  /** Goes before others in its block. */
  readonly first: boolean;
}

/** A block with the storage after it. */
export interface WorldEvmBlock {
  readonly number: number;
  readonly hash: Bytes32;
  readonly parentHash: Bytes32;
  readonly time: number;
  readonly txs: readonly EvmTx[];
  readonly logs: readonly { readonly txIndex: number; readonly log: EscrowLog }[];
  readonly storage: EscrowStorage;
}

/** Settings of the chain. */
export interface EvmWorldSettings {
  readonly escrow: EscrowSettings;
  readonly usdc: ReadonlyMap<string, bigint>;
  readonly startTime: number;
  /** Blocks that a final block has above it. */
  readonly finalAfter: number;
  /** Its RPCs call every block final at once, which none is. */
  readonly callsAllFinal?: boolean;
}

/** The chain. */
export class EvmWorld {
  readonly #settings: EvmWorldSettings;
  readonly #chance: Random;
  readonly #supply: bigint;
  readonly #blocks: WorldEvmBlock[] = [];
  /** Every block ever made, by hash. */
  readonly #known = new Map<Bytes32, WorldEvmBlock>();
  #pool: EvmTx[] = [];
  #count = 0;
  /** The chain as it was before the last reorganisation, and the final height of then; null before the first. */
  lost: { readonly blocks: readonly WorldEvmBlock[]; readonly finalHeight: number } | null = null;
  /** The highest block that ever was final. */
  finalHeight = 0;

  constructor(settings: EvmWorldSettings, chance: Random) {
    this.#settings = settings;
    this.#chance = chance;
    this.#supply = [...settings.usdc.values()].reduce((sum, one) => sum + one, 0n);
    const { feeBps, feeRecipient } = settings.escrow;
    const creation: EvmTx = {
      hash: sha256Hex("creation"),
      from: feeRecipient,
      call: { fn: "refund", orderHash: sha256Hex("none") },
      first: false,
    };
    const storage = freshStorage(settings.usdc, settings.escrow);
    const logs = [{ txIndex: 0, log: { kind: "FeeSet", feeBps, feeRecipient } as const }];
    this.#append([creation], settings.startTime, storage, logs);
  }

  /** Whether RPCs call every block final. */
  get callsAllFinal(): boolean {
    return this.#settings.callsAllFinal === true;
  }

  /** The newest block. */
  get head(): WorldEvmBlock {
    return this.#at(this.#blocks.length - 1);
  }

  /** The best chain as it is now; does not change with it. */
  get all(): readonly WorldEvmBlock[] {
    return [...this.#blocks];
  }

  /** Every block ever made, of all branches. */
  get known(): readonly WorldEvmBlock[] {
    return [...this.#known.values()];
  }

  /** The block of the best chain at a height, or null. */
  at(number: number): WorldEvmBlock | null {
    return this.#blocks[number] ?? null;
  }

  /** A block of any branch, or null. */
  byHash(hash: Bytes32): WorldEvmBlock | null {
    return this.#known.get(hash) ?? null;
  }

  /** The block of the best chain that holds the transaction, or null. */
  blockOf(txHash: Bytes32): WorldEvmBlock | null {
    return this.#blocks.findLast(({ txs }) => txs.some(({ hash }) => hash === txHash)) ?? null;
  }

  /** Storage after the newest block. */
  get storage(): EscrowStorage {
    return this.head.storage;
  }

  /** What waits. */
  get pool(): readonly EvmTx[] {
    return this.#pool;
  }

  /** Sends a call, unless the same one waits already. */
  submit(from: EvmAddress, call: Call, first = false): void {
    const text = plainText({ from, call });
    if (this.#pool.some((tx) => plainText({ from: tx.from, call: tx.call }) === text)) return;
    this.#count += 1;
    this.#pool.push({ hash: sha256Hex(`tx ${this.#count} ${text}`), from, call, first });
  }

  /** Mines one block of what waits; a part of it may be left for the next. */
  mine(time: number): void {
    const chosen = this.#pool.filter((tx) => tx.first || this.#chance.is(0.9));
    this.#pool = this.#pool.filter((tx) => !chosen.includes(tx));
    this.#execute(this.#ordered(chosen), time);
    this.#finalise();
  }

  /** How many blocks a reorganisation may take back. */
  get mayUndo(): number {
    return this.head.number - this.finalHeight;
  }

  /**
   * Replaces the newest `depth` blocks by `count` others, the last of them at `time`. What they held waits again,
   * but for what `isDropped` names.
   */
  reorganise(depth: number, count: number, time: number, isDropped: (tx: EvmTx) => boolean): void {
    if (depth > this.mayUndo) throw new RangeError("a final block stays");
    this.lost = { blocks: this.all, finalHeight: this.finalHeight };
    const gone = this.#blocks.splice(this.#blocks.length - depth, depth);
    const orphans = gone.flatMap(({ txs }) => txs).filter((tx) => !isDropped(tx));
    this.#pool = this.#chance.shuffled([...orphans, ...this.#pool]);
    const base = this.head.time;
    for (let i = 1; i <= count; i += 1) this.mine(base + Math.floor(((time - base) * i) / count));
  }

  #ordered(txs: readonly EvmTx[]): EvmTx[] {
    const mixed = this.#chance.shuffled(txs);
    return [...mixed.filter(({ first }) => first), ...mixed.filter(({ first }) => !first)];
  }

  #execute(txs: readonly EvmTx[], time: number): void {
    let { storage } = this.head;
    const logs: { txIndex: number; log: EscrowLog }[] = [];
    for (const [txIndex, { from, call }] of txs.entries()) {
      const done = execute(storage, this.#settings.escrow, from, call, time);
      if (done === null) continue;
      storage = done.storage;
      for (const log of done.logs) logs.push({ txIndex, log });
    }
    const fault = conservationFault(storage, this.#supply);
    if (fault !== null) throw new Error(`the contract does not conserve: ${fault}`);
    this.#append(txs, time, storage, logs);
  }

  #append(txs: readonly EvmTx[], time: number, storage: EscrowStorage, logs: WorldEvmBlock["logs"]): void {
    const number = this.#blocks.length;
    const parentHash = number === 0 ? sha256Hex("before") : this.#at(number - 1).hash;
    this.#count += 1;
    const hash = sha256Hex(`block ${number} ${parentHash} ${time} ${this.#count}`);
    const block = { number, hash, parentHash, time, txs, logs, storage };
    this.#blocks.push(block);
    this.#known.set(hash, block);
  }

  #finalise(): void {
    this.finalHeight = Math.max(this.finalHeight, this.head.number - this.#settings.finalAfter);
  }

  #at(number: number): WorldEvmBlock {
    const block = this.#blocks[number];
    if (block === undefined) throw new RangeError(`no EVM block ${number}`);
    return block;
  }
}
