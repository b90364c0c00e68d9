// The writer of the SQLite engine without its thread: it carries orders out where it stands, so that nothing comes at a
// time of its own. At an order that the story names the process dies, before it, at a statement in the middle of it or
// after it, or the order fails although it was or was not carried out.

import { DatabaseSync, StatementSync } from "node:sqlite";
import {
  carryOut,
  type OpenWriter,
  openForWriting,
} from "../../../src/adapters/store-sqlite/write/carry-out.ts";
import type {
  Writer,
  WriterOrder,
  WriterStart,
} from "../../../src/adapters/store-sqlite/write/writer-protocol.ts";
import type { Gate } from "./gate.ts";

/** What befalls an order. */
export const WRITE_ENDS = [
  "dies before",
  "dies inside",
  "dies after",
  "fails before",
  "fails after",
] as const;
/** One of these. */
export type WriteEnd = (typeof WRITE_ENDS)[number];

/** What is to befall which order, counted from the next one, from 0; `statement`: at which writing statement. */
export interface WritePlan {
  readonly end: WriteEnd;
  readonly order: number;
  readonly statement: number;
}

/** The process died at a statement. */
class Death extends Error {
  override readonly name = "Death";
}

/** Writing statements until the process dies; 0: it does not. */
let left = 0;

function strike(): void {
  if (left === 0) return;
  left -= 1;
  if (left === 0) throw new Death("the process died at a statement");
}

for (const [methods, name] of [
  [DatabaseSync.prototype, "exec"],
  [StatementSync.prototype, "run"],
] as const) {
  const real: unknown = Reflect.get(methods, name);
  if (typeof real !== "function") throw new Error(`there is no method ${name}`);
  const mortal = function (this: unknown, ...values: unknown[]): unknown {
    strike();
    return Reflect.apply(real, this, values);
  };
  Object.defineProperty(methods, name, { value: mortal });
}

/** A writer that can die. */
export class MortalWriter implements Writer {
  readonly died = new Promise<Error>(() => undefined);
  readonly hasDied = false;
  readonly #gate: Gate;
  readonly #writer: OpenWriter;
  readonly #onEnd: (end: WriteEnd) => void;
  #plan: WritePlan | null = null;
  #queue: Promise<void> = Promise.resolve();

  /** `onEnd`: something has befallen an order. */
  constructor(start: WriterStart, gate: Gate, onEnd: (end: WriteEnd) => void) {
    this.#gate = gate;
    this.#onEnd = onEnd;
    this.#writer = openForWriting(start);
  }

  /** Something will befall an order. */
  plan(plan: WritePlan): void {
    this.#plan = plan;
  }

  send(order: WriterOrder): Promise<void> {
    const sent = this.#queue.then(() => this.#gate.busy(() => this.#carryOut(order)));
    this.#queue = sent.catch(() => undefined);
    return sent;
  }

  async close(): Promise<void> {
    carryOut(this.#writer, { kind: "close" });
  }

  async #carryOut(order: WriterOrder): Promise<void> {
    // As from a thread, the answer comes in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#gate.isShut) return;
    const plan = this.#due();
    const end = plan?.end ?? null;
    if (end !== null) this.#onEnd(end);
    if (end === "dies before") return this.#gate.shut();
    if (end === "fails before") throw new Error("the order failed before anything was written");
    this.#write(order, end === "dies inside" ? (plan?.statement ?? 0) + 2 : 0);
    if (end === "fails after") throw new Error("the order failed after everything was written");
    if (end === "dies after" || end === "dies inside") this.#gate.shut();
  }

  /** The first statement of an order is its BEGIN: dying there would be dying before it. */
  #write(order: WriterOrder, strikeAt: number): void {
    left = strikeAt;
    try {
      carryOut(this.#writer, order);
    } catch (error) {
      // SQLite takes back what the dead process had not committed.
      if (!(error instanceof Death)) throw error;
    } finally {
      left = 0;
    }
  }

  /** The plan, where it is this order's turn. */
  #due(): WritePlan | null {
    const plan = this.#plan;
    if (plan === null) return null;
    this.#plan = plan.order > 0 ? { ...plan, order: plan.order - 1 } : null;
    return plan.order > 0 ? null : plan;
  }
}
