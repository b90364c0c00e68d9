// An EVM RPC that lies. It has a view of its own: the honest chain with blocks replaced, logs invented, hidden or altered,
// a future that does not exist and a final block of its choice. Each method answers by that view, by the truth, by an
// older truth, by turns, or not at all, so that every combination of true and false answers comes up. Nothing here knows
// how the service defends itself.

import type { Bytes32, EvmAddress } from "../../../../src/primitives/brands.ts";
import type { EvmBlock, EvmLog } from "../../../../src/swaps/evm/evm-chain.ts";
import { EvmUnavailable } from "../../../../src/swaps/evm/evm-unavailable.ts";
import { shownBlock, logsOf, wireLogs } from "./evm-port.ts";
import { type EscrowLog, sha256Hex } from "../../../oracles/escrow.ts";
import type { EvmWorld } from "./evm-world.ts";
import { type EvmQuestion, SeenChain, type ShownChain } from "./lying-rpc.ts";

/** How one method of a liar answers. "view": by its own chain; "older": by the truth some blocks ago; "by turns":
 * one answer by its own chain, the next by the truth. */
export const ANSWER_WAYS = ["view", "truth", "older", "by turns", "error", "nothing"] as const;
/** One of these. */
export type AnswerWay = (typeof ANSWER_WAYS)[number];
/** What a liar calls final. */
export const FINAL_CLAIMS = ["honest", "head", "above the head", "stuck", "none"] as const;
/** One of these. */
export type FinalClaim = (typeof FINAL_CLAIMS)[number];

/** A liar's chain, as differences from the honest one. */
export interface FalseView {
  /** Logs put into blocks of these heights. */
  readonly invented: Map<number, readonly EscrowLog[]>;
  /** Heights whose logs are left out; "bloom too" hides them in the header as well. */
  readonly hidden: Map<number, "logs" | "bloom too">;
  /** Heights whose orders show another amount. */
  readonly altered: Set<number>;
  /** From this height on the blocks have hashes of their own; null: false content under true hashes. */
  forkedFrom: number | null;
  /** Blocks above the honest head. */
  ahead: number;
  /** Seconds added to the time of every block. */
  timeShift: number;
  /** The newest block that it knows; null: all. */
  stuckAt: number | null;
  final: FinalClaim;
  /** The height that it once called final; a claim "stuck" stays there. */
  finalStuckAt: number;
}

/** A view without a lie. */
function honestView(): FalseView {
  return {
    invented: new Map(),
    hidden: new Map(),
    altered: new Set(),
    forkedFrom: null,
    ahead: 0,
    timeShift: 0,
    stuckAt: null,
    final: "honest",
    finalStuckAt: 0,
  };
}

/** A liar. */
export class Liar {
  readonly #world: EvmWorld;
  readonly #escrow: EvmAddress;
  readonly #ways = new Map<EvmQuestion, AnswerWay>();
  readonly #turns = new Map<EvmQuestion, number>();
  readonly #older: SeenChain;
  #false: FalseChain;
  /** The branch that it shows in the place of its own view. */
  #copied: ShownChain | null = null;

  constructor(world: EvmWorld, escrow: EvmAddress) {
    this.#world = world;
    this.#escrow = escrow;
    this.#older = new SeenChain(world, escrow);
    this.#false = new FalseChain(world, escrow, honestView());
  }

  /** What it lies; may be changed. */
  get view(): FalseView {
    return this.#false.view;
  }

  /** How it answers this method from now on. */
  answer(method: EvmQuestion, way: AnswerWay): void {
    this.#ways.set(method, way);
  }

  /** How it answers this method now. */
  wayOf(method: EvmQuestion): AnswerWay {
    return this.#ways.get(method) ?? "view";
  }

  /** The truth of this moment is its older one from now on. */
  remember(): void {
    this.#older.catchUp();
  }

  /** From now on its view is the branch that the last reorganisation has replaced, all of which it calls final. */
  copyLost(): void {
    const lost = new SeenChain(this.#world, this.#escrow);
    lost.stray();
    this.#copied = {
      height: lost.height,
      finalHeight: lost.height,
      at: (number) => lost.at(number),
      byHash: (hash) => lost.byHash(hash),
      logsOf: (block) => lost.logsOf(block),
      blockWith: (txHash) => lost.blockWith(txHash),
    };
  }

  /** No lie is left. */
  repent(): void {
    this.#copied = null;
    this.#ways.clear();
    this.#false = new FalseChain(this.#world, this.#escrow, honestView());
  }

  /** Puts logs into a block of its chain. */
  putLogs(height: number, logs: readonly EscrowLog[]): void {
    const { invented } = this.view;
    invented.set(height, [...(invented.get(height) ?? []), ...logs]);
  }

  /** The chain by which it answers now. @throws EvmUnavailable where it does not answer. */
  chainFor(method: EvmQuestion): ShownChain {
    const way = this.wayOf(method);
    if (way === "error") throw new EvmUnavailable("TIMEOUT", `no answer to ${method}`);
    if (way === "nothing") return NOTHING;
    if (way === "older") return this.#older;
    if (way === "truth" || (way === "by turns" && this.#isTurn(method)))
      return new SeenChain(this.#world, this.#escrow);
    return this.#copied ?? this.#false;
  }

  #isTurn(method: EvmQuestion): boolean {
    const turn = this.#turns.get(method) ?? 0;
    this.#turns.set(method, turn + 1);
    return turn % 2 === 1;
  }
}

const NOTHING: ShownChain = {
  height: -1,
  finalHeight: -1,
  at: () => null,
  byHash: () => null,
  logsOf: () => [],
  blockWith: () => null,
};

/** The liar's chain: the honest one through its view. */
class FalseChain implements ShownChain {
  readonly #world: EvmWorld;
  readonly #escrow: EvmAddress;
  readonly view: FalseView;

  constructor(world: EvmWorld, escrow: EvmAddress, view: FalseView) {
    this.#world = world;
    this.#escrow = escrow;
    this.view = view;
  }

  get height(): number {
    const height = this.#world.head.number + this.view.ahead;
    return this.view.stuckAt === null ? height : Math.min(height, this.view.stuckAt);
  }

  get finalHeight(): number {
    const claims: Readonly<Record<FinalClaim, number>> = {
      honest: Math.min(this.#world.finalHeight, this.height),
      head: this.height,
      "above the head": this.height + 5,
      stuck: Math.min(this.view.finalStuckAt, this.height),
      none: -1,
    };
    return claims[this.view.final];
  }

  at(number: number): EvmBlock | null {
    return number < 0 || number > this.height ? null : this.#block(number);
  }

  byHash(hash: Bytes32): EvmBlock | null {
    for (let number = this.height; number >= 0; number -= 1) {
      if (this.#hash(number) === hash) return this.#block(number);
    }
    const honest = this.#world.byHash(hash);
    return honest === null ? null : shownBlock(honest);
  }

  logsOf({ number, hash, transactions }: EvmBlock): readonly EvmLog[] {
    if (hash !== this.#hash(number)) {
      const honest = this.#world.byHash(hash);
      return honest === null ? [] : logsOf(honest, this.#escrow);
    }
    return this.#logs(number, hash, transactions);
  }

  blockWith(txHash: Bytes32): EvmBlock | null {
    for (let number = this.height; number >= 0; number -= 1) {
      const block = this.#block(number);
      if (block.transactions.includes(txHash)) return block;
    }
    return null;
  }

  #logs(number: number, hash: Bytes32, transactions: readonly Bytes32[]): readonly EvmLog[] {
    const { hidden, altered, invented } = this.view;
    const honest = this.#world.at(number);
    const told = honest === null || hidden.has(number) ? [] : honest.logs;
    const shown = altered.has(number)
      ? told.map(({ txIndex, log }) => ({ txIndex, log: dearer(log) }))
      : told;
    const made = (invented.get(number) ?? []).map((log) => ({ txIndex: transactions.length - 1, log }));
    return wireLogs([...shown, ...made], { number, hash, transactions }, this.#escrow);
  }

  #block(number: number): EvmBlock {
    const honest = this.#world.at(number);
    const { timeShift, invented, hidden } = this.view;
    const base = honest ?? this.#world.head;
    const transactions = [
      ...(honest === null ? [] : shownBlock(honest).transactions),
      ...(invented.has(number) ? [sha256Hex(`an invented transaction in ${number}`)] : []),
    ];
    const isBloomHidden = hidden.get(number) === "bloom too" && !invented.has(number);
    return {
      number,
      hash: this.#hash(number),
      parentHash: number === 0 ? base.parentHash : this.#hash(number - 1),
      time: base.time + timeShift + 12 * Math.max(0, number - base.number),
      transactions,
      mayHoldLogs: invented.has(number) || ((honest?.logs.length ?? 0) > 0 && !isBloomHidden),
    };
  }

  /** True hashes up to the fork, the liar's own above it and above the honest head. */
  #hash(number: number): Bytes32 {
    const honest = this.#world.at(number);
    const { forkedFrom } = this.view;
    if (honest !== null && (forkedFrom === null || number < forkedFrom)) return honest.hash;
    return sha256Hex(`the liar's block ${number} from ${forkedFrom ?? "the head"}`);
  }
}

/** The same event with one unit of USDC more, where it names an amount. */
function dearer(log: EscrowLog): EscrowLog {
  if (log.kind !== "OrderLocked") return log;
  return { ...log, terms: { ...log.terms, usdcAmount: log.terms.usdcAmount + 1n } };
}
