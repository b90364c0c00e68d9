// Lets the chain survive the process: one append-only file of checksummed records, replayed in order at start. A kill
// at any moment leaves at most one torn record at the end, which is cut off.
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { concat, sameBytes, sha256, uint32 } from "../../bytes.ts";

/** What a record holds: a block, a mark of invalidateblock or reconsiderblock (a hash), a mempool transaction. */
export type RecordKind = "block" | "invalidate" | "reconsider" | "transaction";

/** One step of the node's history. */
export interface LogRecord {
  readonly kind: RecordKind;
  readonly payload: Uint8Array;
}

const KINDS: readonly RecordKind[] = ["block", "invalidate", "reconsider", "transaction"];
const FILE_MARK = new TextEncoder().encode("PEARLNODE-LOG-1\n");
const FRAME = 9;

function checksum(kind: number, payload: Uint8Array): Uint8Array {
  return sha256(concat(Uint8Array.of(kind), payload)).slice(0, 4);
}

/** Reads whole records from `offset`; `end` is where the first torn or damaged one would begin. */
function readRecords(bytes: Uint8Array, offset: number): { records: LogRecord[]; end: number } {
  const records: LogRecord[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = offset;
  while (at + FRAME <= bytes.length) {
    const code = bytes[at] ?? 0;
    const kind = KINDS[code];
    const end = at + FRAME + view.getUint32(at + 1, true);
    if (kind === undefined || end > bytes.length) break;
    const payload = bytes.slice(at + FRAME, end);
    if (!sameBytes(bytes.subarray(at + 5, at + FRAME), checksum(code, payload))) break;
    records.push({ kind, payload });
    at = end;
  }
  return { records, end: at };
}

/** The node's file. */
export class ChainLog {
  readonly #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Opens or creates `chain.log` in `folder`, cuts a torn tail, and returns what it holds. Throws on a foreign file. */
  static open(folder: string): { log: ChainLog; records: LogRecord[] } {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, "chain.log");
    const fd = openSync(path, "a+");
    const bytes = new Uint8Array(readFileSync(path));
    if (bytes.length < FILE_MARK.length) {
      // New, or killed while the mark itself was written.
      ftruncateSync(fd, 0);
      writeAll(fd, FILE_MARK);
      return { log: new ChainLog(fd), records: [] };
    }
    if (!sameBytes(bytes.subarray(0, FILE_MARK.length), FILE_MARK)) {
      closeSync(fd);
      throw new Error(`${path} is not a chain log of this node`);
    }
    const { records, end } = readRecords(bytes, FILE_MARK.length);
    if (end < bytes.length) ftruncateSync(fd, end);
    return { log: new ChainLog(fd), records };
  }

  /** Appends one record; it is with the operating system when this returns. */
  append(kind: RecordKind, payload: Uint8Array): void {
    const code = KINDS.indexOf(kind);
    writeAll(this.#fd, concat(Uint8Array.of(code), uint32(payload.length), checksum(code, payload), payload));
  }

  /** Closes the file. */
  close(): void {
    closeSync(this.#fd);
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
}
