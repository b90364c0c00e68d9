// Computes what a block's digest must be from the effects that a vector writes down: P-80 and P-81 once more, as plain
// concatenation over the words of the vector. It shares no code with the core.

import type { ProtocolRules } from "../../../src/prc20/rules.ts";
import { nameHash, resolveNames } from "./vector-chain.ts";
import { sha256 } from "../../../testkit/bytes.ts";

/** D(start - 1), hex. */
export function startDigest(rules: ProtocolRules): string {
  return hash([
    prefixed("prc20-digest/1"),
    prefixed(Buffer.from(rules.genesisHash, "hex")),
    prefixed(rules.marker),
    prefixed(String(rules.startHeight)),
    prefixed(String(rules.feeBps)),
    prefixed(rules.feeAddress ?? ""),
  ]);
}

/** D(h) from D(h-1), the block's hash and its effects in the words of the vector. */
export function digestOfWords(previous: string, blockHash: string, effects: readonly string[]): string {
  return hash([Buffer.from(previous, "hex"), Buffer.from(blockHash, "hex"), ...effects.map(effectBytes)]);
}

/**
 * The bytes of one effect:
 * `op <tx> <input> valid|<REASON> <op> <tick> <amount> <from> <to>`,
 * `close <tx> <input> <listing> <kind> <amount> <owner>`, `balance <address> <tick> <balance> <locked>`;
 * `-` is an empty field.
 */
function effectBytes(effect: string): Buffer {
  const words = effect.split(" ").map((word) => (word === "-" ? "" : word));
  const [kind = "", first = "", index = "", verdict = "", ...rest] = words;
  if (kind === "balance") return Buffer.concat(words.map((word) => prefixed(resolveNames(word))));
  const place = [prefixed(kind), prefixed(Buffer.from(nameHash(first), "hex")), prefixed(index)];
  if (kind === "close")
    return Buffer.concat([...place, ...[verdict, ...rest].map((w) => prefixed(resolveNames(w)))]);
  if (kind !== "op") throw new Error(`no such effect: ${effect}`);
  const outcome = verdict === "valid" ? [prefixed("1"), prefixed("")] : [prefixed("0"), prefixed(verdict)];
  return Buffer.concat([...place, ...outcome, ...rest.map((word) => prefixed(resolveNames(word)))]);
}

function prefixed(field: string | Buffer): Buffer {
  const bytes = typeof field === "string" ? Buffer.from(field, "utf8") : field;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function hash(parts: readonly Buffer[]): string {
  return Buffer.from(sha256(Buffer.concat(parts))).toString("hex");
}
