// Refuses to relay valid transactions as a node does: by the rules that pearld always applies, and by the standard
// group that mainnet adds.
import { outputClass, type NodeTx } from "./transaction.ts";

/** `mainnet`: the standard group is enforced; `simnet`: it is skipped, as pearld does there by default. */
export type PolicyName = "mainnet" | "simnet";

/** Smallest value of a P2TR or P2MR output at the default relay fee, in grains. */
const DUST_GRAINS = 333n;

const MIN_STRIPPED_SIZE = 65;
const MAX_STANDARD_VSIZE = 100_000;
const RELAY_GRAINS_PER_KVB = 1000n;

/** Smallest fee in grains that a transaction of `vsize` must pay: ⌊vsize · 1000 / 1000⌋, 1000 where that is 0. */
export function minimumFee(vsize: number): bigint {
  const fee = (BigInt(vsize) * RELAY_GRAINS_PER_KVB) / 1000n;
  return fee === 0n ? RELAY_GRAINS_PER_KVB : fee;
}

/** Rules that hold under every policy. Undefined = fine. */
export function alwaysFault(tx: NodeTx): string | undefined {
  if (!tx.tx.hasWitnesses()) return `transaction ${tx.txid} carries no witness`;
  if (tx.strippedSize < MIN_STRIPPED_SIZE) {
    return `transaction ${tx.txid} has a non-witness size of ${tx.strippedSize}, below the minimum of ${MIN_STRIPPED_SIZE}`;
  }
  return undefined;
}

/** The standard group: version, size, output classes, one OP_RETURN, dust. Undefined = fine. */
export function standardFault(tx: NodeTx): string | undefined {
  const version = tx.tx.version | 0;
  if (version < 1 || version > 2) return `transaction version ${version} is not in the valid range of 1-2`;
  if (tx.vsize > MAX_STANDARD_VSIZE)
    return `vsize of transaction is larger than max allowed: ${tx.vsize} > ${MAX_STANDARD_VSIZE}`;
  let nullData = 0;
  for (const [index, out] of tx.tx.outs.entries()) {
    if (outputClass(out.script) === "nulldata") {
      nullData += 1;
    } else if (out.value < DUST_GRAINS) {
      return `transaction output ${index}: payment of ${out.value} is dust`;
    }
  }
  return nullData > 1 ? "more than one transaction output in a nulldata script" : undefined;
}
