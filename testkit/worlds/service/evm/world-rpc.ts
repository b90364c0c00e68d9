// An EVM RPC of the simulation. It shows the honest chain up to a head of its own, like a PEARL node, or lies as a liar
// does; and it answers well, late with logs, not in time, or not at all.

import type { EvmAddress } from "../../../../src/primitives/brands.ts";
import type { EvmSource } from "../../../../src/swaps/evm/evm-chain.ts";
import { EvmUnavailable } from "../../../../src/swaps/evm/evm-unavailable.ts";
import type { VirtualClock } from "../../../doubles/clock.ts";
import { Flood } from "../flood.ts";
import type { Gate } from "../gate.ts";
import type { NodeHead } from "../world-node.ts";
import type { EvmWorld } from "./evm-world.ts";
import { Liar } from "./liar.ts";
import { type EvmQuestion, SeenChain, type ShownChain, ShownRpc, type Untruth } from "./lying-rpc.ts";

/** How an RPC answers; its lies besides. */
export const RPC_MANNERS = ["well", "late logs", "error", "timeout", "hang"] as const;
/** One of these. */
export type RpcManner = (typeof RPC_MANNERS)[number];

const TIMEOUT_MS = 5000;
/** How often an RPC that hangs looks whether it may go on. */
const HANG_MS = 60_000;
/** How far behind an older head is. */
const OLDER_BLOCKS = 3;

/** One RPC. Lives of the service come and go, the RPC stays. */
export class WorldRpc {
  readonly liar: Liar;
  readonly #name: string;
  readonly #world: EvmWorld;
  readonly #clock: VirtualClock;
  readonly #flood: Flood;
  readonly #seen: SeenChain;
  #shows: NodeHead = "newest";
  #manner: RpcManner = "well";
  #every = 1;
  #asked = 0;
  /** Whether it answers as a liar. */
  #isLying = false;
  /** Blocks up to this height may have been told wrongly: it lied, or had logs too late. */
  #misledUntil = -1;
  /** Answers by manner, and untruths, for the report. */
  readonly told = new Map<string, number>();

  /** `onFlood`: somebody asks on and on without a pause; he gets no answer any more. */
  constructor(
    name: string,
    world: EvmWorld,
    escrow: EvmAddress,
    { clock, onFlood }: { readonly clock: VirtualClock; readonly onFlood: () => void },
  ) {
    this.#name = name;
    this.#world = world;
    this.#clock = clock;
    this.#flood = new Flood(clock, onFlood);
    this.#seen = new SeenChain(world, escrow);
    this.liar = new Liar(world, escrow);
    this.#escrow = escrow;
  }

  readonly #escrow: EvmAddress;

  get isLying(): boolean {
    return this.#isLying;
  }

  /** From now on it shows this. */
  show(what: NodeHead): void {
    this.#shows = what;
    this.look();
  }

  /** Whether it tells untruths, or the service may still believe in one: `finalHeight` is the one in force. */
  mayMislead(finalHeight: number): boolean {
    return this.#isLying || this.#seen.lateLogs > 0 || finalHeight < this.#misledUntil;
  }

  /** From now on every so many-th answer is like this. */
  behave(manner: RpcManner, every: number): void {
    if (this.#seen.lateLogs > 0) this.#misledUntil = this.#world.head.number;
    this.#manner = manner;
    this.#every = every;
    this.#seen.lateLogs = manner === "late logs" ? 2 : 0;
  }

  /** From now on it answers as its liar does. */
  lie(): void {
    this.#isLying = true;
  }

  /** It is an honest RPC that answers well, at the newest block. */
  repent(): void {
    if (this.#isLying) this.#misledUntil = this.#world.head.number;
    this.liar.repent();
    this.#isLying = false;
    this.behave("well", 1);
    this.show("newest");
  }

  /** Looks at the world's chain. */
  look(): void {
    this.liar.remember();
    if (this.#shows === "newest") this.#seen.catchUp();
    if (this.#shows === "older") this.#seen.catchUp(OLDER_BLOCKS);
    if (this.#shows === "lost branch") this.#seen.stray();
  }

  /** The RPC as one life of the service is given it; nobody waits for it any more once `closing` is aborted. */
  open(gate: Gate, closing: AbortSignal): EvmSource {
    const truth = (): ShownChain => new SeenChain(this.#world, this.#escrow);
    const onLie = (method: EvmQuestion, lie: Untruth): void => {
      if (this.#isLying) this.#note(`EVM ${method}: ${lie}`);
    };
    const shown = new ShownRpc(this.#name, (method) => this.#chainFor(method), { truth, onLie });
    const ask = <Answer>(method: EvmQuestion, answer: () => Promise<Answer>): Promise<Answer> =>
      gate.through(() => this.#answer(method, closing, answer));
    return {
      name: this.#name,
      heads: () => ask("heads", () => shown.heads()),
      blocksAt: (numbers) => ask("blocksAt", () => shown.blocksAt(numbers)),
      blocksByHash: (hashes) => ask("blocksByHash", () => shown.blocksByHash(hashes)),
      logs: (from, to) => ask("logs", () => shown.logs(from, to)),
      logsOfBlock: (hash) => ask("logsOfBlock", () => shown.logsOfBlock(hash)),
      receipts: (hashes) => ask("receipts", () => shown.receipts(hashes)),
    };
  }

  #chainFor(method: EvmQuestion): ShownChain {
    return this.#isLying ? this.liar.chainFor(method) : this.#seen;
  }

  async #answer<Answer>(
    method: EvmQuestion,
    closing: AbortSignal,
    answer: () => Promise<Answer>,
  ): Promise<Answer> {
    this.#asked += 1;
    await this.#flood.pass();
    const manner = this.#asked % this.#every === 0 ? this.#manner : "well";
    this.#note(`EVM ${manner}`);
    if (manner === "error") throw new EvmUnavailable("BUSY", `${this.#name}: HTTP 503 to ${method}`);
    if (manner === "timeout") await this.#clock.sleep(TIMEOUT_MS, closing);
    if (manner === "hang") await this.#hang(closing);
    if (manner === "timeout" || closing.aborted)
      throw new EvmUnavailable("TIMEOUT", `${this.#name}: no answer to ${method} within 5 s`);
    return answer();
  }

  /** Says nothing until its manner is another one, or nobody waits. */
  async #hang(closing: AbortSignal): Promise<void> {
    while (this.#manner === "hang" && !closing.aborted) await this.#clock.sleep(HANG_MS, closing);
  }

  #note(what: string): void {
    this.told.set(what, (this.told.get(what) ?? 0) + 1);
  }
}
