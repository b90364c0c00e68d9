// Makes a copy of a transaction in which one bit of a witness is wrong. Witnesses have no part in the txid, so the copy
// spends and pays exactly what the original does.

import { parseTx, serializeTx } from "../../../src/wallet/index.ts";

/**
 * The transaction (hex in, hex out) with one bit turned: `bit` counts from the lowest bit of the first byte of
 * witness item `item` of input `input`. @throws where there is no such bit.
 */
export function withFlippedBit(transactionHex: string, input: number, item: number, bit: number): string {
  const tx = parseTx(Uint8Array.from(Buffer.from(transactionHex, "hex")));
  const target = tx.inputs[input]?.witness[item];
  const byte = target?.[bit >> 3];
  if (target === undefined || byte === undefined)
    throw new RangeError(`input ${input} has no bit ${bit} in item ${item}`);
  const turned = Uint8Array.from(target);
  turned[bit >> 3] = byte ^ (1 << (bit & 7));
  const inputs = tx.inputs.map((each, index) =>
    index === input
      ? { ...each, witness: each.witness.map((old, at) => (at === item ? turned : old)) }
      : each,
  );
  return Buffer.from(serializeTx({ ...tx, inputs })).toString("hex");
}
