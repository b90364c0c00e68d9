// Reads and writes Pearl's block bytes: certificate ‖ 108-byte header ‖ compact size ‖ transactions. The hash is
// SHA256d of the header alone; sizes leave the certificate out except for the plain size.
import { compactSize, concat, hash256, readCompactSize, toDisplay, uint32 } from "../../bytes.ts";
import { readTransaction, type NodeTx } from "./transaction.ts";
import { accept, refuse, type Verdict } from "./verdict.ts";

/** Bytes of a header. */
export const HEADER_BYTES = 108;

/** Header fields; hashes in display order. */
export interface Header {
  readonly version: number;
  readonly previous: string;
  readonly merkleRoot: string;
  readonly time: number;
  readonly bits: number;
  readonly proofCommitment: string;
}

/** A block taken apart. */
export interface Block {
  readonly raw: Uint8Array;
  readonly hash: string;
  readonly header: Header;
  readonly headerBytes: Uint8Array;
  readonly certificate: Uint8Array;
  readonly certificateVersion: number;
  readonly txs: readonly NodeTx[];
  /** Header, count and transactions without witness. */
  readonly strippedSize: number;
  /** strippedSize + ⌈all witness bytes / 4⌉. */
  readonly vsize: number;
}

/** Certificate of a simnet block: version 4, zero hash, no public data, a proof of one zero byte; 45 bytes. */
export function dummyCertificate(): Uint8Array {
  return concat(uint32(4), new Uint8Array(32), uint32(0), uint32(1), Uint8Array.of(0));
}

function hashBytes(display: string): Uint8Array {
  return new Uint8Array(Buffer.from(display, "hex")).toReversed();
}

/** The 108 bytes of a header. */
export function encodeHeader(header: Header): Uint8Array {
  return concat(
    uint32(header.version),
    hashBytes(header.previous),
    hashBytes(header.merkleRoot),
    uint32(header.time),
    uint32(header.bits),
    hashBytes(header.proofCommitment),
  );
}

/** Fields of 108 header bytes. */
function decodeHeader(bytes: Uint8Array): Header {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  return {
    version: view.getInt32(0, true),
    previous: toDisplay(bytes.subarray(4, 36)),
    merkleRoot: toDisplay(bytes.subarray(36, 68)),
    time: view.getUint32(68, true),
    bits: view.getUint32(72, true),
    proofCommitment: toDisplay(bytes.subarray(76, 108)),
  };
}

/** Block bytes from a certificate, a header and transactions. */
export function encodeBlock(
  certificate: Uint8Array,
  header: Uint8Array,
  txs: readonly Uint8Array[],
): Uint8Array {
  return concat(certificate, header, compactSize(txs.length), ...txs);
}

/** Lengths of the length-prefixed fields of each certificate version, with their caps; `fixed` comes first. */
const CERTIFICATES: Readonly<Record<number, { fixed: number; caps: readonly number[] }>> = {
  1: { fixed: 32 + 164, caps: [60_000] },
  2: { fixed: 32, caps: [4807, 60_000] },
  3: { fixed: 32, caps: [4807, 60_000] },
  4: { fixed: 32, caps: [131_072, 131_072] },
};

/** Offset of the header: the length of the certificate before it, or null for an unknown or cut certificate. */
export function certificateLength(bytes: Uint8Array): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 4) return null;
  const layout = CERTIFICATES[view.getUint32(0, true)];
  if (layout === undefined) return null;
  let offset = 4 + layout.fixed;
  for (const cap of layout.caps) {
    if (offset + 4 > bytes.length) return null;
    const length = view.getUint32(offset, true);
    if (length > cap) return null;
    offset += 4 + length;
  }
  return offset <= bytes.length ? offset : null;
}

/** Takes a block apart. Nothing about its validity is checked beyond that every byte has its place. */
export function parseBlock(raw: Uint8Array): Verdict<Block> {
  const start = certificateLength(raw);
  if (start === null) return refuse("decode", "unreadable block certificate");
  const bodyStart = start + HEADER_BYTES;
  if (bodyStart > raw.length) return refuse("decode", "the block ends inside its header");
  const headerBytes = raw.slice(start, bodyStart);
  const count = readCompactSize(raw, bodyStart);
  if (count === null) return refuse("decode", "unreadable transaction count");
  const txs: NodeTx[] = [];
  let offset = count.next;
  for (let i = 0; i < count.value; i += 1) {
    const read = readTransaction(raw, offset);
    if (!read.ok) return refuse("decode", `transaction ${i}: ${read.reject.message}`);
    txs.push(read.value.tx);
    offset = read.value.next;
  }
  if (offset !== raw.length) return refuse("decode", "bytes after the last transaction");
  return accept({
    raw,
    hash: toDisplay(hash256(headerBytes)),
    header: decodeHeader(headerBytes),
    headerBytes,
    certificate: raw.slice(0, start),
    certificateVersion: new DataView(raw.buffer, raw.byteOffset, 4).getUint32(0, true),
    txs,
    ...blockSizes(txs, count.next - bodyStart),
  });
}

/** strippedSize and vsize of a block with these transactions, whose count takes `countBytes`. */
function blockSizes(txs: readonly NodeTx[], countBytes: number): { strippedSize: number; vsize: number } {
  let strippedSize = HEADER_BYTES + countBytes;
  let witness = 0;
  for (const tx of txs) {
    strippedSize += tx.strippedSize;
    witness += tx.size - tx.strippedSize;
  }
  return { strippedSize, vsize: strippedSize + Math.ceil(witness / 4) };
}
