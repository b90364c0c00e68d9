// Finds the leaf by which a lock output was spent, and the preimage that a witness shows (S-13). The leaf is told by
// the control block against the output key, never by the place or number of witness items; a preimage is told by its
// hash, wherever it stands.

import { elementAt } from "../primitives/elements.ts";
import type { Bytes32, ScriptHex } from "../primitives/brands.ts";
import { concatBytes, equalBytes } from "../primitives/bytes.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { fromBytes32, taggedHash, toBytes32, type SwapCrypto } from "./crypto.ts";
import type { SpendPath } from "./facts.ts";
import { branchHash, claimHashlock, leafHash, CLAIM_BYTES, type Htlc } from "./htlc-script.ts";

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

/** What a script-path spend commits to. */
interface Committed {
  /** TapLeaf hash of the leaf that it runs. */
  readonly leaf: Uint8Array;
  /** X-only key of the output that it can spend, and of no other. */
  readonly outputKey: Uint8Array;
}

/** What the stack (without annex) of a script-path spend commits to (BIP341); null where it is none. */
function committed(
  stack: readonly Uint8Array[],
  crypto: Pick<SwapCrypto, "sha256" | "tweakAdd">,
): Committed | null {
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
  return tweaked === null || tweaked.parity !== (first & 1) ? null : { leaf, outputKey: tweaked.key };
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
  const found = committed(withoutAnnex(witness), crypto);
  return found !== null && equalBytes(found.outputKey, fromBytes32(outputKey)) ? found.leaf : null;
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

/** A claim that shows by itself which script it spends: the output, which may be in a block that nobody has read, is not asked. */
interface ShownClaim extends FoundPreimage {
  readonly script: ScriptHex;
}

/** In a witness a byte with the length stands before each of the secret, the claim leaf and the control block of its two leaves. */
const [SECRET_BYTES, CONTROL_BYTES] = [32, CONTROL_BASE + 32];

/**
 * What a witness shows that passes by the claim leaf of a lock: the secret, which the leaf takes from the top of the stack, and
 * the script of the output that it spends. Null where it does not, or the hashlock is not wanted.
 */
export function shownClaim(
  witness: readonly Uint8Array[],
  isWanted: (hashlock: Bytes32) => boolean,
  crypto: Pick<SwapCrypto, "sha256" | "tweakAdd">,
): ShownClaim | null {
  const stack = withoutAnnex(witness);
  const [secret, script] = stack.slice(-3);
  if (stack.length < 3 || secret?.length !== SECRET_BYTES || script === undefined) return null;
  const hashlock = claimHashlock(script);
  if (hashlock === null || !isWanted(hashlock) || toBytes32(crypto.sha256(secret)) !== hashlock) return null;
  const found = committed(stack, crypto);
  if (found === null) return null;
  return { hashlock, secret: toBytes32(secret), script: `5120${bytesToHex(found.outputKey)}` as ScriptHex };
}

/**
 * Whether bytes that hold transactions may hold such a claim: in millions of witness items it would take a second, and hundreds
 * of megabytes, to look at each.
 */
export function mayShowClaim(
  bytes: Uint8Array,
  isWanted: (hashlock: Bytes32) => boolean,
  sha256: Sha256,
): boolean {
  const last = bytes.length - 1 - CLAIM_BYTES - 1 - CONTROL_BYTES;
  for (let at = bytes.indexOf(CLAIM_BYTES); at >= 0 && at <= last; at = bytes.indexOf(CLAIM_BYTES, at + 1)) {
    const isBetween =
      bytes[at - SECRET_BYTES - 1] === SECRET_BYTES && bytes[at + 1 + CLAIM_BYTES] === CONTROL_BYTES;
    const hashlock = isBetween ? claimHashlock(bytes.subarray(at + 1, at + 1 + CLAIM_BYTES)) : null;
    if (hashlock === null || !isWanted(hashlock)) continue;
    if (toBytes32(sha256(bytes.subarray(at - SECRET_BYTES, at))) === hashlock) return true;
  }
  return false;
}
