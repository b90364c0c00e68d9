// The failures that a follower knows by name, and how they are told. Each ends a round, never the process.

import type { BlockFault } from "../chain/block-fault.ts";
import type { BlockHash } from "../primitives/brands.ts";
import type { Log } from "./ports.ts";

/** Why a round of the follower failed. */
export type FailureKind = "node" | "block_refused" | "deep_reorganisation" | "store" | "internal";

/** The node's answer to `getblock` is not the block that was asked for, or breaks a rule of the chain. */
export class BlockRefused extends Error {
  override readonly name = "BlockRefused";
  readonly height: number;
  readonly fault: BlockFault;

  constructor(height: number, hash: BlockHash, fault: BlockFault) {
    super(
      `block ${height}, as the node answered \`getblock ${hash} 0\`, is refused: ${fault.code}: ${fault.detail}`,
    );
    this.height = height;
    this.fault = fault;
  }
}

/** The node's chain leaves ours below what can be undone. Only an operator can decide what to do. */
export class DeepReorganisation extends Error {
  override readonly name = "DeepReorganisation";

  constructor(floor: number, tipHeight: number, undoBlocks: number) {
    super(
      `the node's chain differs from the index already at block ${floor}; only ${tipHeight - floor} blocks below the ` +
        `index's tip ${tipHeight} can be undone (UNDO_BLOCKS is ${undoBlocks}). Check the node; if its chain is ` +
        "right, stop the service and run `./bin/strand reindex`",
    );
  }
}

/** The node's answers contradict each other: its chain is changing just now, or several nodes answer in turns. */
export class UnsettledChain extends Error {
  override readonly name = "UnsettledChain";

  constructor(height: number) {
    super(`the node's answers do not fit together: its chain left ours above block ${height}, but not below`);
  }
}

/** The node names a tip above ours and shows no hash of the blocks between: asking on at once would not end. */
export class BlocksHidden extends Error {
  override readonly name = "BlocksHidden";

  constructor(from: number, tip: { readonly height: number; readonly hash: BlockHash }) {
    super(
      `the node names block ${tip.height} (${tip.hash}) as its tip, but no hash of the blocks from ${from} on; look at its log`,
    );
  }
}

/** A write was rejected; whether it took place is unknown until the store is asked for its tip. */
export class StoreWriteError extends Error {
  override readonly name = "StoreWriteError";

  /** `what`: the write, as "a commit". */
  constructor(what: string, options: ErrorOptions) {
    super(`the store did not acknowledge ${what}`, options);
  }
}

/** The answer of a write, with its rejection named. */
export async function acknowledged(what: string, write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (cause) {
    throw new StoreWriteError(what, { cause });
  }
}

/** Whether an error has this name: "NodeError" and "StoreUnavailable" come from whoever implements the ports. */
function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

/** Codes of SQLite, of PostgreSQL (five signs) and of the system. */
const DATABASE_CODES = /^(ERR_SQLITE_ERROR|[0-9A-Z]{5}|E[A-Z]+)$/;

/** Whether an error is the database's, its server's or the disk's, and not one of this program. */
export function isDatabaseFailure(error: Error): boolean {
  if (error instanceof StoreWriteError || isNamed(error, "StoreUnavailable")) return true;
  return "code" in error && typeof error.code === "string" && DATABASE_CODES.test(error.code);
}

/** Which kind of failure an error is, for the metrics. */
function failureKind(error: unknown): FailureKind {
  if (isNamed(error, "NodeError") || error instanceof UnsettledChain || error instanceof BlocksHidden)
    return "node";
  if (error instanceof BlockRefused) return "block_refused";
  if (error instanceof DeepReorganisation) return "deep_reorganisation";
  if (error instanceof Error && isDatabaseFailure(error)) return "store";
  return "internal";
}

/** The sentence of an error with those of its causes, each said once. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : sentenceOf(error.cause);
  return error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}

/** What keeps a follower of a PEARL node from going on. The same trouble again and again is one line of the log. */
export class Trouble {
  readonly #log: Log;
  readonly #where: string;
  #sentence: string | null = null;

  /** `where`: how its lines begin. */
  constructor(log: Log, where = "") {
    this.#log = log;
    this.#where = where;
  }

  /** A round has failed. Returns the kind of failure and its sentence. */
  failed(error: unknown): { readonly kind: FailureKind; readonly sentence: string } {
    const kind = failureKind(error);
    const sentence = sentenceOf(error);
    const stack = kind === "internal" && error instanceof Error ? { stack: error.stack } : {};
    if (sentence !== this.#sentence) this.#log.error({ kind, ...stack }, `${this.#where}${sentence}`);
    this.#sentence = sentence;
    return { kind, sentence };
  }

  /** A round has ended well. */
  recovered(): void {
    if (this.#sentence !== null) this.#log.info({ after: this.#sentence }, "going on again");
    this.#sentence = null;
  }
}
