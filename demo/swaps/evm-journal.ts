// Lets the demo's EVM chain outlive the process, however that ends. Every block is written down before it is made, and
// the dev node makes the same block from the same line, hash and all: so the last saved state and the lines behind it
// give back exactly the chain that the service has seen, and no block is ever lost.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, readdirSync } from "node:fs";
import { renameSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../src/adapters/store-sqlite/make-folder.ts";

/** One thing that was done to the chain. `parent`: the tip's hash before it, for checking a replay. */
export type JournalLine =
  | { readonly parent: string; readonly time: number; readonly raw: readonly string[] }
  | { readonly parent: string; readonly rollback: number };

/** What a chain starts from: the genesis time, and the node's own dump of all blocks (null: the genesis alone). */
export interface SavedState {
  readonly genesisTime: number;
  readonly dump: string | null;
}

/** The files cannot give the chain back; one sentence. */
export class EvmChainLost extends Error {
  override readonly name = "EvmChainLost";
}

const STATE = /^state-([0-9]{8})\.json$/;

function fileOf(kind: "state" | "journal", sequence: number): string {
  return `${kind}-${String(sequence).padStart(8, "0")}.${kind === "state" ? "json" : "jsonl"}`;
}

/** The saved state and the journal behind it, in one folder. */
export class EvmJournal {
  readonly #folder: string;
  #sequence: number;
  #descriptor: number | null = null;

  private constructor(folder: string, sequence: number) {
    this.#folder = folder;
    this.#sequence = sequence;
  }

  /** Opens the folder, which is made where it is missing; `isNew` where it holds no chain. */
  static open(folder: string): { readonly journal: EvmJournal; readonly isNew: boolean } {
    makeFolder(folder);
    const sequences = readdirSync(folder).flatMap((name) => {
      const found = STATE.exec(name)?.[1];
      return found === undefined ? [] : [Number(found)];
    });
    const newest = Math.max(-1, ...sequences);
    return { journal: new EvmJournal(folder, Math.max(0, newest)), isNew: newest < 0 };
  }

  /** Reads what is there. @throws EvmChainLost where it cannot be read. */
  read(): { readonly state: SavedState; readonly lines: readonly JournalLine[] } {
    return { state: this.#readState(), lines: this.#readLines() };
  }

  /** Writes a line that stays, whatever happens to the process afterwards. */
  append(line: JournalLine): void {
    this.#descriptor ??= openSync(join(this.#folder, fileOf("journal", this.#sequence)), "a");
    writeSync(this.#descriptor, `${JSON.stringify(line)}\n`);
    fsyncSync(this.#descriptor);
  }

  /** Starts a new journal behind a new state; the older files go. */
  save(state: SavedState, isFirst = false): void {
    const next = isFirst ? 0 : this.#sequence + 1;
    const path = join(this.#folder, fileOf("state", next));
    // Written beside and renamed: from the rename on the new state counts, before it the old one with its lines.
    writeFileSync(`${path}.new`, JSON.stringify(state), { flush: true });
    renameSync(`${path}.new`, path);
    this.close();
    this.#sequence = next;
    for (const name of readdirSync(this.#folder)) {
      const number = /^(?:state|journal)-([0-9]{8})\./.exec(name)?.[1];
      if (number !== undefined && Number(number) < next) rmSync(join(this.#folder, name), { force: true });
    }
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #readState(): SavedState {
    const name = fileOf("state", this.#sequence);
    try {
      const stored: unknown = JSON.parse(readFileSync(join(this.#folder, name), "utf8"));
      const { genesisTime, dump }: { genesisTime?: unknown; dump?: unknown } = Object(stored);
      if (typeof genesisTime === "number" && (dump === null || typeof dump === "string")) {
        return { genesisTime, dump };
      }
    } catch (cause) {
      throw new EvmChainLost(`${name} cannot be read`, { cause });
    }
    throw new EvmChainLost(`${name} holds no state`);
  }

  #readLines(): readonly JournalLine[] {
    const path = join(this.#folder, fileOf("journal", this.#sequence));
    if (!existsSync(path)) return [];
    // A last line without its end was being written when the process died: its block was never made.
    const written = readFileSync(path, "utf8");
    const end = written.lastIndexOf("\n") + 1;
    if (end < written.length) truncateSync(path, Buffer.byteLength(written.slice(0, end)));
    const complete = written.slice(0, end).split("\n").slice(0, -1);
    return complete.map((text, at) => {
      const line = lineOf(text);
      if (line === null) throw new EvmChainLost(`line ${at + 1} of its journal cannot be read`);
      return line;
    });
  }
}

function lineOf(text: string): JournalLine | null {
  try {
    const stored: unknown = JSON.parse(text);
    const fields: { parent?: unknown; time?: unknown; raw?: unknown; rollback?: unknown } = Object(stored);
    const { parent, time, raw, rollback } = fields;
    if (typeof parent !== "string") return null;
    if (typeof rollback === "number") return { parent, rollback };
    if (typeof time !== "number" || !Array.isArray(raw)) return null;
    return { parent, time, raw: raw.map(String) };
  } catch {
    return null;
  }
}
