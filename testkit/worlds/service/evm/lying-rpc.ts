// RPCs over the model chain of a world, honest or not: an RPC shows a chain, and which one is asked anew for every answer.
// An honest one shows the chain as it was when it last looked, so it may be late, also with logs alone. What a liar shows:
// `liar.ts`.

import type { Bytes32, EvmAddress } from "../../../../src/primitives/brands.ts";
import type {
  EvmBlock,
  EvmHeads,
  EvmLog,
  EvmReceipt,
  EvmSource,
} from "../../../../src/swaps/evm/evm-chain.ts";
import { EvmUnavailable } from "../../../../src/swaps/evm/evm-unavailable.ts";
import { shownBlock, logsOf } from "./evm-port.ts";
import { plainText } from "../../../oracles/escrow.ts";
import type { EvmWorld, WorldEvmBlock } from "./evm-world.ts";

/** What can be asked of an RPC. */
export const EVM_QUESTIONS = [
  "heads",
  "blocksAt",
  "blocksByHash",
  "logs",
  "logsOfBlock",
  "receipts",
] as const;
/** One of these. */
export type EvmQuestion = (typeof EVM_QUESTIONS)[number];
/** A chain that can be shown, honest or not. */
export interface ShownChain {
  readonly height: number;
  /** The height that it calls final; below 0: none. May be above its own height. */
  readonly finalHeight: number;
  at(number: number): EvmBlock | null;
  byHash(hash: Bytes32): EvmBlock | null;
  logsOf(block: EvmBlock): readonly EvmLog[];
  /** The block in which it has this transaction; null: none. */
  blockWith(txHash: Bytes32): EvmBlock | null;
}

/** In what an answer differs from the truth. */
export type Untruth = "invented" | "withheld" | "altered";

/** To whom an RPC's answers are told that differ from what the present honest chain would have answered. */
export interface LieListener {
  readonly truth: () => ShownChain;
  readonly onLie: (method: EvmQuestion, lie: Untruth) => void;
}

/** What an answer says, piece by piece, by what the piece is about. */
type Pieces = ReadonlyMap<string, string>;

/** An RPC that asks anew before every answer which chain it shows. The choice throws where it does not answer. */
export class ShownRpc implements EvmSource {
  readonly name: string;
  readonly #chainFor: (method: EvmQuestion) => ShownChain;
  readonly #listener: LieListener | null;

  constructor(name: string, chainFor: (method: EvmQuestion) => ShownChain, listener: LieListener | null) {
    this.name = name;
    this.#chainFor = chainFor;
    this.#listener = listener;
  }

  async heads(): ReturnType<EvmSource["heads"]> {
    const ask = (chain: ShownChain): EvmHeads => {
      const head = chain.at(chain.height);
      if (head === null) throw new EvmUnavailable("RPC_ERROR", `${this.name} shows no head`);
      return { head, final: chain.finalHeight < 0 ? null : chain.at(chain.finalHeight) };
    };
    return this.#answer("heads", ask, ({ head, final }) =>
      piecesOf([head, final], (block) => (block === head ? "head" : "final")),
    );
  }

  async blocksAt(numbers: readonly number[]): Promise<readonly (EvmBlock | null)[]> {
    const ask = (chain: ShownChain): readonly (EvmBlock | null)[] =>
      numbers.map((number) => chain.at(number));
    return this.#answer("blocksAt", ask, (blocks) => piecesOf(blocks, ({ number }) => number));
  }

  async blocksByHash(hashes: readonly Bytes32[]): Promise<readonly (EvmBlock | null)[]> {
    const ask = (chain: ShownChain): readonly (EvmBlock | null)[] => hashes.map((hash) => chain.byHash(hash));
    return this.#answer("blocksByHash", ask, (blocks) => piecesOf(blocks, ({ hash }) => hash));
  }

  async logs(from: number, to: number): ReturnType<EvmSource["logs"]> {
    const ask = (chain: ShownChain): readonly EvmLog[] => {
      const logs: EvmLog[] = [];
      for (let number = from; number <= Math.min(to, chain.height); number += 1) {
        const block = chain.at(number);
        if (block !== null) logs.push(...chain.logsOf(block));
      }
      return logs;
    };
    return { kind: "logs", logs: this.#answer("logs", ask, piecesOfLogs) };
  }

  async logsOfBlock(hash: Bytes32): Promise<readonly EvmLog[]> {
    const ask = (chain: ShownChain): readonly EvmLog[] => {
      const block = chain.byHash(hash);
      if (block === null) throw new EvmUnavailable("RPC_ERROR", `${this.name} knows no block ${hash}`);
      return chain.logsOf(block);
    };
    return this.#answer("logsOfBlock", ask, piecesOfLogs);
  }

  async receipts(txHashes: readonly Bytes32[]): Promise<readonly (EvmReceipt | null)[]> {
    const ask = (chain: ShownChain): readonly (EvmReceipt | null)[] =>
      txHashes.map((txHash) => {
        const block = chain.blockWith(txHash);
        if (block === null) return null;
        const logs = chain.logsOf(block).filter((log) => log.txHash === txHash);
        return { txHash, blockHash: block.hash, logs };
      });
    return this.#answer("receipts", ask, (receipts) => piecesOf(receipts, ({ txHash }) => txHash));
  }

  #answer<Answer>(
    method: EvmQuestion,
    ask: (chain: ShownChain) => Answer,
    pieces: (answer: Answer) => Pieces,
  ): Answer {
    const answer = ask(this.#chainFor(method));
    if (this.#listener === null) return answer;
    const told = pieces(answer);
    const truth = this.#trueAnswer(this.#listener, ask, pieces);
    for (const [about, text] of told) {
      const wanted = truth.get(about);
      if (wanted !== text) this.#listener.onLie(method, wanted === undefined ? "invented" : "altered");
    }
    for (const about of truth.keys()) if (!told.has(about)) this.#listener.onLie(method, "withheld");
    return answer;
  }

  #trueAnswer<Answer>(
    { truth }: LieListener,
    ask: (chain: ShownChain) => Answer,
    pieces: (answer: Answer) => Pieces,
  ): Pieces {
    try {
      return pieces(ask(truth()));
    } catch (error) {
      if (error instanceof EvmUnavailable) return new Map();
      throw error;
    }
  }
}

function piecesOf<Item>(items: readonly (Item | null)[], about: (item: Item) => string | number): Pieces {
  return new Map(
    items.flatMap((item) => (item === null ? [] : [[`${about(item)}`, plainText(item)] as const])),
  );
}

function piecesOfLogs(logs: readonly EvmLog[]): Pieces {
  return piecesOf(logs, ({ block, logIndex }) => `${block}:${logIndex}`);
}

/** The honest chain as it was when it was last looked at. */
export class SeenChain implements ShownChain {
  readonly #world: EvmWorld;
  readonly #escrow: EvmAddress;
  #blocks: readonly WorldEvmBlock[] = [];
  #final = 0;
  /** The logs of the newest so many blocks are not there yet, as far as these are not final. */
  lateLogs = 0;

  constructor(world: EvmWorld, escrow: EvmAddress) {
    this.#world = world;
    this.#escrow = escrow;
    this.catchUp();
  }

  /** Takes the chain as it is now, but for so many of its newest blocks; as much less is final to it. */
  catchUp(without = 0): void {
    const { all, finalHeight } = this.#world;
    this.#blocks = all.slice(0, Math.max(1, all.length - without));
    this.#final = Math.max(0, Math.min(finalHeight - without, this.height));
  }

  /** Takes the chain that the last reorganisation has replaced; without one, the present chain. */
  stray(): void {
    const { lost } = this.#world;
    if (lost === null) return this.catchUp();
    this.#blocks = lost.blocks;
    this.#final = lost.finalHeight;
  }

  get height(): number {
    return this.#blocks.length - 1;
  }

  get finalHeight(): number {
    return this.#world.callsAllFinal ? this.height : this.#final;
  }

  /** The state of the order at its head; null where it has none. */
  stateOf(orderHash: Bytes32): string | null {
    return this.#blocks.at(-1)?.storage.orders.get(orderHash)?.state ?? null;
  }

  at(number: number): EvmBlock | null {
    const block = this.#blocks[number];
    return block === undefined ? null : shownBlock(block);
  }

  byHash(hash: Bytes32): EvmBlock | null {
    const block = this.#world.byHash(hash);
    return block === null || block.number > this.height ? null : shownBlock(block);
  }

  logsOf({ number, hash }: EvmBlock): readonly EvmLog[] {
    const block = this.#world.byHash(hash);
    return block === null || number > this.#logsUpTo ? [] : logsOf(block, this.#escrow);
  }

  blockWith(txHash: Bytes32): EvmBlock | null {
    const block = this.#blocks.findLast(({ txs }) => txs.some(({ hash }) => hash === txHash));
    return block === undefined || block.number > this.#logsUpTo ? null : shownBlock(block);
  }

  get #logsUpTo(): number {
    return Math.max(this.#final, this.height - this.lateLogs);
  }
}
