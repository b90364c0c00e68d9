// Checks whether one input of a transaction may spend its output: Taproot key path and script path (BIP341), with
// Pearl's differences: only leaf version 0xc0 runs, P2MR outputs are refused by this node. The signature hash and the
// tree hashes come from bitcoinjs-lib, curve arithmetic from libsecp256k1.
import type { Transaction } from "bitcoinjs-lib";
import { rootHashFromPath, tapleafHash, tapTweakHash } from "bitcoinjs-lib/src/payments/bip341";
import { verifySchnorr, xOnlyPointAddTweak } from "tiny-secp256k1";
import { compactSize, sameBytes } from "../../bytes.ts";
import { runTapscript } from "./tapscript.ts";
import { outputClass } from "./transaction.ts";

/** What a signature of one input covers: the transaction and all outputs it spends, in input order. */
export interface SpendContext {
  readonly tx: Transaction;
  readonly index: number;
  readonly scripts: readonly Uint8Array[];
  readonly values: readonly bigint[];
}

const HASH_TYPES: ReadonlySet<number> = new Set([0x00, 0x01, 0x02, 0x03, 0x81, 0x82, 0x83]);
const ANNEX_TAG = 0x50;
const LEAF_VERSION = 0xc0;
const MAX_PATH = 128;
/** Words that every failed signature check carries, whichever path it is on. */
const BAD_SIGNATURE = "Invalid Schnorr signature";

/**
 * BIP341 signature check of one non-empty signature. Undefined = valid; otherwise the reason. `leafHash` is
 * absent on the key path.
 */
function signatureFault(
  context: SpendContext,
  key: Uint8Array,
  signature: Uint8Array,
  leafHash: Uint8Array | undefined,
  annex: Uint8Array | undefined,
): string | undefined {
  if (signature.length !== 64 && signature.length !== 65) {
    return `${BAD_SIGNATURE} size: ${signature.length} bytes`;
  }
  const hashType = signature[64] ?? 0;
  if (!HASH_TYPES.has(hashType) || (signature.length === 65 && hashType === 0)) {
    return `${BAD_SIGNATURE} hash type: 0x${hashType.toString(16).padStart(2, "0")}`;
  }
  const { tx, index } = context;
  if ((hashType & 3) === 3 && index >= tx.outs.length) {
    return `${BAD_SIGNATURE} hash type: SIGHASH_SINGLE without an output ${index}`;
  }
  const hash = tx.hashForWitnessV1(
    index,
    [...context.scripts],
    [...context.values],
    hashType,
    leafHash,
    annex,
  );
  let valid = false;
  try {
    valid = verifySchnorr(hash, key, signature.subarray(0, 64));
  } catch {
    // The library throws for values that are no point or not below the curve order: no valid signature either.
    valid = false;
  }
  return valid ? undefined : BAD_SIGNATURE;
}

/** Serialised size of a witness stack, on which the signature budget of BIP342 rests. */
function witnessSize(stack: readonly Uint8Array[]): number {
  return stack.reduce(
    (sum, item) => sum + compactSize(item.length).length + item.length,
    compactSize(stack.length).length,
  );
}

function scriptPathFault(
  context: SpendContext,
  outputKey: Uint8Array,
  stack: readonly Uint8Array[],
  annex: Uint8Array | undefined,
  budget: number,
): string | undefined {
  const control = stack.at(-1);
  const leaf = stack.at(-2);
  if (control === undefined || leaf === undefined) return "witness has no leaf script";
  if (control.length < 33 || (control.length - 33) % 32 !== 0 || control.length > 33 + 32 * MAX_PATH) {
    return `invalid control block size of ${control.length} bytes`;
  }
  const first = control[0] ?? 0;
  if ((first & 0xfe) !== LEAF_VERSION) return `unsupported leaf version 0x${(first & 0xfe).toString(16)}`;
  const leafHash = tapleafHash({ output: leaf, version: LEAF_VERSION });
  const internalKey = control.slice(1, 33);
  const tweak = tapTweakHash(internalKey, rootHashFromPath(control, leafHash));
  let tweaked: ReturnType<typeof xOnlyPointAddTweak> = null;
  try {
    tweaked = xOnlyPointAddTweak(internalKey, tweak);
  } catch {
    return "the control block's internal key is not a point";
  }
  if (tweaked === null || tweaked.parity !== (first & 1) || !sameBytes(tweaked.xOnlyPubkey, outputKey)) {
    return "taproot merkle proof is invalid: the leaf script is not committed to by the output";
  }
  return runTapscript(leaf, stack.slice(0, -2), {
    tx: context.tx,
    index: context.index,
    budget,
    check: (key, signature) => signatureFault(context, key, signature, leafHash, annex),
  });
}

/** Whether input `context.index` satisfies its output. Undefined = yes; otherwise the reason. */
export function spendFault(context: SpendContext): string | undefined {
  const input = context.tx.ins[context.index];
  const script = context.scripts[context.index];
  if (input === undefined || script === undefined) return "no such input";
  if (input.script.length !== 0) return "signature script for witness program is not empty";
  const kind = outputClass(script);
  if (kind === "witness_v2_merkleroot") return "this node does not spend P2MR outputs";
  if (kind !== "witness_v1_taproot") return `outputs of class ${kind} cannot be spent`;
  let stack: readonly Uint8Array[] = input.witness;
  if (stack.length === 0) return "witness program empty";
  const budget = 50 + witnessSize(stack);
  const last = stack.at(-1);
  const annex = stack.length >= 2 && last?.[0] === ANNEX_TAG ? last : undefined;
  if (annex !== undefined) stack = stack.slice(0, -1);
  const outputKey = script.slice(2);
  const only = stack[0];
  if (stack.length === 1 && only !== undefined)
    return signatureFault(context, outputKey, only, undefined, annex);
  return scriptPathFault(context, outputKey, stack, annex, budget);
}
