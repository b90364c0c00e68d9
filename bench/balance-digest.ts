// Makes one value of all balance rows, whatever their order, so that the balances of two indexers can be compared.

import { hash } from "node:crypto";

/** A balance that is not 0. */
export interface BalanceFact {
  readonly tick: string;
  readonly address: string;
  readonly balance: string;
}

/** Exclusive or of the hashes of all rows, and their number. */
export function balanceDigest(rows: Iterable<BalanceFact>): {
  readonly rows: number;
  readonly digest: string;
} {
  const sum = Buffer.alloc(32);
  let count = 0;
  for (const { tick, address, balance } of rows) {
    const row = hash("sha256", `${tick}:${address}:${balance}`, "buffer");
    for (let i = 0; i < 32; i += 1) sum[i] = (sum[i] ?? 0) ^ (row[i] ?? 0);
    count += 1;
  }
  return { rows: count, digest: sum.toString("hex") };
}
