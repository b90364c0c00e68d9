// Reads Pearl blocks as the obvious TypeScript stack would: bitcoinjs-lib 7 on the bytes behind the certificate, and a
// straightforward P-12 parser on its witnesses. The scan and indexing figures are compared with it.

import { Block, script as scripts, type Transaction } from "bitcoinjs-lib";

/** Cuts the V1 certificate and the 28 bytes that Pearl's header has more, so that a Bitcoin parser accepts it. */
export function parseBlock(raw: Uint8Array): Block {
  const view = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  const proof = view.readUInt32LE(200);
  const rest = view.subarray(204 + proof);
  return Block.fromBuffer(Buffer.concat([rest.subarray(0, 80), rest.subarray(108)]));
}

/** An operation as the peer sees it. */
export interface PeerOperation {
  readonly keyHex: string;
  readonly text: string;
  readonly fields: Record<string, unknown>;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The operation of one input's witness, or null. */
export function peerOperation(witness: readonly Uint8Array[]): PeerOperation | null {
  const stack = [...witness];
  const last = stack[stack.length - 1];
  if (stack.length >= 2 && last?.[0] === 0x50) stack.pop();
  const control = stack.pop();
  const leaf = stack.pop();
  if (control === undefined || leaf === undefined || ((control[0] ?? 0) & 0xfe) !== 0xc0) return null;
  if (control.length < 33 || (control.length - 33) % 32 !== 0) return null;
  const parts = scripts.decompile(leaf);
  if (parts === null || parts.length < 9) return null;
  const [key, checksig, no, begin, marker, type, separator, ...body] = parts;
  if (!(key instanceof Uint8Array) || key.length !== 32 || checksig !== 0xac || no !== 0 || begin !== 0x63)
    return null;
  if (!(marker instanceof Uint8Array) || Buffer.from(marker).toString("latin1") !== "prc-20") return null;
  if (!(type instanceof Uint8Array) || Buffer.from(type).toString("latin1") !== "application/json")
    return null;
  if (separator !== 0 || body.pop() !== 0x68) return null;
  const pushes = body.filter((item) => item instanceof Uint8Array);
  if (pushes.length !== body.length) return null;
  try {
    const text = decoder.decode(Buffer.concat(pushes));
    const fields = JSON.parse(text) as Record<string, unknown>;
    if (fields["p"] !== "prc-20" || typeof fields["op"] !== "string") return null;
    return { keyHex: Buffer.from(key).toString("hex"), text, fields };
  } catch {
    return null;
  }
}

/** All operations of a parsed block with the ids of their transactions. */
export function peerOperations(
  block: Block,
): { txid: string; vout: number; operation: PeerOperation; transaction: Transaction }[] {
  const found: { txid: string; vout: number; operation: PeerOperation; transaction: Transaction }[] = [];
  for (const transaction of block.transactions?.slice(1) ?? []) {
    let txid = "";
    transaction.ins.forEach((input, vout) => {
      const operation = peerOperation(input.witness);
      if (operation === null) return;
      if (txid === "") txid = transaction.getId();
      found.push({ txid, vout, operation, transaction });
    });
  }
  return found;
}
