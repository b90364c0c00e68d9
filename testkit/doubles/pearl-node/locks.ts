// Decides by its locks when a transaction may be in a block: absolute lock times against the median time past (BIP65,
// BIP113) and relative ones from the sequence numbers of version 2 transactions (BIP68).
import type { Transaction } from "bitcoinjs-lib";

const LOCKTIME_THRESHOLD = 500_000_000;
const SEQUENCE_FINAL = 0xffffffff;
const SEQUENCE_DISABLED = 0x80000000;
const SEQUENCE_IS_TIME = 1 << 22;
const SEQUENCE_MASK = 0xffff;

/** BIP113: whether `tx` is final in a block of `height` whose parent has the median time past `medianTime`. */
export function isFinal(tx: Transaction, height: number, medianTime: number): boolean {
  if (tx.locktime === 0) return true;
  const reached = tx.locktime < LOCKTIME_THRESHOLD ? height : medianTime;
  if (tx.locktime < reached) return true;
  return tx.ins.every((input) => input.sequence === SEQUENCE_FINAL);
}

/** What BIP68 needs to know about the chain before the block in question. */
export interface LockContext {
  /** Height of the block that would hold the transaction. */
  readonly height: number;
  /** Median time past of its parent. */
  readonly medianTime: number;
  /** Median time past of the main-chain block at a height. */
  readonly medianTimeAt: (height: number) => number;
}

/** BIP68: whether every relative lock of `tx` is met; `coinHeights` are the heights of the spent outputs' blocks. */
export function sequenceLocksMet(
  tx: Transaction,
  coinHeights: readonly number[],
  context: LockContext,
): boolean {
  // Versions are compared as unsigned here, as in Bitcoin: a negative version has its relative locks enforced.
  if (tx.version >>> 0 < 2) return true;
  for (const [index, input] of tx.ins.entries()) {
    if ((input.sequence & SEQUENCE_DISABLED) !== 0) continue;
    const coinHeight = coinHeights[index] ?? context.height;
    const amount = input.sequence & SEQUENCE_MASK;
    if ((input.sequence & SEQUENCE_IS_TIME) === 0) {
      if (coinHeight + amount > context.height) return false;
    } else {
      const since = context.medianTimeAt(Math.max(coinHeight - 1, 0));
      if (since + amount * 512 > context.medianTime) return false;
    }
  }
  return true;
}

/** BIP65: whether a script's absolute lock `operand` is satisfied by this input's transaction. */
export function lockTimeReached(tx: Transaction, inputIndex: number, operand: number): boolean {
  if (operand < LOCKTIME_THRESHOLD !== tx.locktime < LOCKTIME_THRESHOLD) return false;
  return operand <= tx.locktime && tx.ins[inputIndex]?.sequence !== SEQUENCE_FINAL;
}

/** BIP112: whether a script's relative lock `operand` (≥ 0, up to 5 bytes) is satisfied by this input. */
export function sequenceReached(tx: Transaction, inputIndex: number, operand: number): boolean {
  // The operand may exceed 32 bits; only its low 32 carry meaning.
  const wanted = Number(BigInt(operand) & 0xffffffffn);
  if ((wanted & SEQUENCE_DISABLED) !== 0) return true;
  const sequence = tx.ins[inputIndex]?.sequence ?? SEQUENCE_FINAL;
  if (tx.version >>> 0 < 2 || (sequence & SEQUENCE_DISABLED) !== 0) return false;
  if ((wanted & SEQUENCE_IS_TIME) !== (sequence & SEQUENCE_IS_TIME)) return false;
  return (wanted & SEQUENCE_MASK) <= (sequence & SEQUENCE_MASK);
}
