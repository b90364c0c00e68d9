// Tells the story: collects the service's events block by block and hands them on as lines. What is told is what the
// index reports; the narrator asks it for the decimals of a token and for listings that expire.

import type { Cast } from "./cast.ts";
import type { IndexEvent } from "./event-stream.ts";
import { integer, type IndexClient, optionalText, type Row, rowOf, text } from "./index-client.ts";
import { expiryLine, linesOf, type Speech } from "./lines.ts";
import type { SwapTeller } from "./swaps/swap-lines.ts";
import { counted } from "./wording.ts";

/** Events of one block come in one burst; after so long without another the block is told. */
const BURST_MS = 60;
/** Kinds of events that are told at once, one by one. */
const SWAP_KINDS = new Set(["ask", "bid", "deal"]);

interface BlockTale {
  readonly height: number;
  readonly operations: number;
  readonly events: IndexEvent[];
}

/** A listing that is cancelled closes without an operation: such a block is not empty. */
function headline({ operations, events }: BlockTale): string {
  const closed = events.filter(
    ({ kind, row }) => kind === "listing" && row["lifecycle_state"] !== "open",
  ).length;
  if (closed === 0) return operations === 0 ? "empty" : counted(operations, "operation");
  return `${counted(operations, "operation")}, ${counted(closed, "listing")} closed`;
}

function evmReorgLine(row: Row): string {
  const fork = integer(row, "fork_height");
  const replaced = integer(rowOf(row["old_tip"]), "height") - fork;
  return `reorg of the EVM chain: ${counted(replaced, "block")} replaced from block ${fork + 1}`;
}

/** Tells lines through `print`. */
export class Narrator {
  readonly #index: IndexClient;
  readonly #cast: Cast;
  readonly #print: (line: string) => void;
  readonly #note: (sentence: string) => void;
  readonly #swaps: SwapTeller | null;
  readonly #decimals = new Map<string, number>();
  /** Open listings that will expire, by id. */
  readonly #expiring = new Map<string, Row>();
  #tale: BlockTale | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Blocks are told one after the other, although telling one asks the service. */
  #telling: Promise<void> = Promise.resolve();

  /** `swaps` tells the lines of swaps; null: there are none. */
  constructor(
    index: IndexClient,
    cast: Cast,
    print: (line: string) => void,
    note: (sentence: string) => void,
    swaps: SwapTeller | null = null,
  ) {
    this.#index = index;
    this.#cast = cast;
    this.#print = print;
    this.#note = note;
    this.#swaps = swaps;
  }

  /** Learns which listings are open already, for the line that tells when they expire. */
  async prepare(): Promise<void> {
    for (const token of await this.#index.rows("tokenlist?limit=100")) {
      const path = `market/${text(token, "tick")}/history?state=open&limit=100`;
      for (const row of await this.#index.rows(path)) this.#watch(row);
    }
  }

  /** Takes an event of the stream. */
  hear(event: IndexEvent): void {
    if (SWAP_KINDS.has(event.kind) || event.row["chain"] === "evm") return this.#hearSwap(event);
    if (event.kind === "block" || event.kind === "reorg" || event.kind === "reset") this.#finish();
    if (event.kind === "reorg") this.#tellReorg(event.row);
    else if (event.kind === "block") {
      const { row } = event;
      this.#tale = { height: integer(row, "height"), operations: integer(row, "operations"), events: [] };
    } else if (this.#tale !== null) this.#tale.events.push(event);
    if (this.#tale !== null) this.#waitForMore(this.#tale);
  }

  /** Tells what is still untold. */
  async end(): Promise<void> {
    this.#finish();
    await this.#telling;
  }

  /** The block is told when its operations are all here and nothing has followed them for a while. */
  #waitForMore(tale: BlockTale): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const heard = tale.events.filter(({ kind }) => kind === "operation").length;
    // On a busy machine one block's events come in pieces: those of later pieces must not be lost.
    this.#timer = heard < tale.operations ? null : setTimeout(() => this.#finish(), BURST_MS);
  }

  #hearSwap({ kind, row }: IndexEvent): void {
    this.#next(async () => {
      const line = kind === "reorg" ? evmReorgLine(row) : (this.#swaps?.line(kind, row) ?? null);
      if (line !== null) this.#print(line);
    });
  }

  #finish(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const tale = this.#tale;
    this.#tale = null;
    if (tale !== null) this.#next(() => this.#tell(tale));
  }

  #next(task: () => Promise<void>): void {
    this.#telling = this.#telling.then(task).catch((error: unknown) => {
      this.#note(`a line is missing: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  #tellReorg(row: Row): void {
    const fork = integer(row, "fork_height");
    const replaced = integer(rowOf(row["old_tip"]), "height") - fork;
    const line = `reorg: ${counted(replaced, "block")} replaced from height ${fork + 1}`;
    this.#next(async () => {
      // What the lost branch had opened or closed is told again by the new one.
      this.#expiring.clear();
      await this.prepare();
      this.#print(line);
    });
  }

  async #tell(tale: BlockTale): Promise<void> {
    const rows = tale.events.map(({ row }) => row);
    await this.#learnDecimals(rows.map((row) => optionalText(row, "tick") ?? ""));
    const speech: Speech = {
      nameOf: (address) => this.#cast.nameOf(address),
      decimalsOf: (tick) => this.#decimals.get(tick) ?? 0,
    };
    this.#print(`block ${tale.height}: ${headline(tale)}`);
    for (const line of linesOf(tale.events, speech)) this.#print(`  ${line}`);
    for (const { kind, row } of tale.events) if (kind === "listing") this.#watch(row);
    for (const [id, row] of this.#expiring) {
      if (Number(text(row, "exp")) >= tale.height) continue;
      this.#expiring.delete(id);
      this.#print(`  ${expiryLine(row, speech)}`);
    }
  }

  #watch(row: Row): void {
    const id = text(row, "id");
    this.#expiring.delete(id);
    if (text(row, "lifecycle_state") === "open" && optionalText(row, "exp") !== null)
      this.#expiring.set(id, row);
  }

  async #learnDecimals(ticks: readonly string[]): Promise<void> {
    for (const tick of new Set(ticks)) {
      if (tick === "" || this.#decimals.has(tick)) continue;
      const [token] = await this.#index.rows(`token/${tick}`);
      if (token !== undefined) this.#decimals.set(tick, Number(text(token, "dec")));
    }
  }
}
