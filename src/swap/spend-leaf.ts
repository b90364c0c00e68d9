// Finds the leaf by which a lock output was spent, and the preimage that a witness shows (S-13). The leaf is told by
// the control block against the output key, never by the place or number of witness items; a preimage is told by its
// hash, wherever it stands.

import { elementAt } from "../primitives/elements.ts";
import type { Bytes32 } from "../primitives/brands.ts";
import { concatBytes, equalBytes } from "../primitives/bytes.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import { fromBytes32, taggedHash, toBytes32, type SwapCrypto } from "./crypto.ts";
import type { SpendPath } from "./facts.ts";
import { branchHash, leafHash, type Htlc } from "./htlc-script.ts";

/** First byte of an annex (BIP341). */
const ANNEX_TAG = 0x50;
/** Version and parity, internal key. */
const CONTROL_BASE = 33;
/** Deepest leaf (BIP341). */
const MAX_DEPTH = 128;

/** The witness stack without an annex (BIP341: of two or more items the last, where it begins with 0x50). */
export function withoutAnnex(witness: readonly Uint8Array[]): readonly Uint8Array[] {
  const last = witness.at(-1);
  return witness.length >= 2 && last?.[0] === ANNEX_TAG ? witness.slice(0, -1) : witness;
}

/** The merkle root that a control block gives a leaf. */
function rootOf(control: Uint8Array, leaf: Uint8Array, sha256: Sha256): Uint8Array {
  let node = leaf;
  for (let at = CONTROL_BASE; at < control.length; at += 32) {
    node = branchHash(node, control.subarray(at, at + 32), sha256);
  }
  return node;
}

/**
 * The TapLeaf hash of the leaf that a script-path spend of `outputKey` runs; null for a key-path spend and for a
 * witness whose control block does not commit to that key (BIP341; no chain that checks scripts holds one).
 */
export function spentLeafHash(
  witness: readonly Uint8Array[],
  outputKey: Bytes32,
  crypto: Pick<SwapCrypto, "sha256" | "tweakAdd">,
): Uint8Array | null {
  const stack = withoutAnnex(witness);
  const control = stack.at(-1);
  const script = stack.at(-2);
  if (control === undefined || script === undefined) return null;
  const pathLength = control.length - CONTROL_BASE;
  if (pathLength < 0 || pathLength % 32 !== 0 || pathLength > 32 * MAX_DEPTH) return null;
  const first = elementAt(control, 0);
  const leaf = leafHash(first & 0xfe, script, crypto.sha256);
  const internalKey = control.subarray(1, CONTROL_BASE);
  const tweak = taggedHash(
    "TapTweak",
    concatBytes(internalKey, rootOf(control, leaf, crypto.sha256)),
    crypto.sha256,
  );
  const tweaked = crypto.tweakAdd(internalKey, tweak);
  if (tweaked === null || tweaked.parity !== (first & 1)) return null;
  return equalBytes(tweaked.key, fromBytes32(outputKey)) ? leaf : null;
}

/** Which leaf of the lock the witness of an input that spends it uses; "other" where it is neither. */
export function spendPath(
  witness: readonly Uint8Array[],
  lock: Pick<Htlc, "claim" | "refund" | "outputKey">,
  crypto: Pick<SwapCrypto, "sha256" | "tweakAdd">,
): SpendPath {
  const leaf = spentLeafHash(witness, lock.outputKey, crypto);
  if (leaf === null) return "other";
  if (equalBytes(leaf, lock.claim.hash)) return "claim";
  return equalBytes(leaf, lock.refund.hash) ? "refund" : "other";
}

/** A preimage and the hashlock that it opens. */
interface FoundPreimage {
  readonly hashlock: Bytes32;
  readonly secret: Bytes32;
}

/**
 * The preimages in a witness: items of 32 bytes whose SHA-256 is a known hashlock, in order and each once. Call it
 * for every input that spends an HTLC output, whatever its path.
 */
export function preimagesIn(
  witness: readonly Uint8Array[],
  isHashlock: (hashlock: Bytes32) => boolean,
  sha256: Sha256,
): readonly FoundPreimage[] {
  const found: FoundPreimage[] = [];
  for (const item of witness) {
    if (item.length !== 32) continue;
    const hashlock = toBytes32(sha256(item));
    if (isHashlock(hashlock) && !found.some((each) => each.hashlock === hashlock)) {
      found.push({ hashlock, secret: toBytes32(item) });
    }
  }
  return found;
}
