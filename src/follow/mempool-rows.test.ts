// The lists by transaction, ticker and address are what a filter of the whole list gives, whatever comes and goes (H-38).

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../testkit/properties.ts";
import type { PearlAddress, Tick, Txid } from "../primitives/brands.ts";
import { MempoolRows } from "./mempool-rows.ts";
import type { MempoolOperation } from "./serving.ts";

const TICKS = ["A", "B", ""] as const;
const PEOPLE = ["x", "y", "z"] as const;

function txidOf(number: number): Txid {
  return String(number).padStart(64, "0") as Txid;
}

const operation = fc
  .record({
    txid: fc.integer({ min: 0, max: 40 }),
    vout: fc.integer({ min: 0, max: 3 }),
    tick: fc.constantFrom(...TICKS),
    from: fc.constantFrom(...PEOPLE),
    to: fc.constantFrom(...PEOPLE, null),
  })
  .map(
    ({ txid, vout, tick, from, to }): MempoolOperation => ({
      txid: txidOf(txid),
      vout,
      op: "transfer",
      tick: tick as Tick | "",
      from: from as PearlAddress,
      to: to as PearlAddress | null,
      listingId: null,
      payloadJson: "{}",
    }),
  );
const step = fc.record({
  added: fc.uniqueArray(operation, { selector: ({ txid, vout }) => `${txid}:${vout}`, maxLength: 30 }),
  gone: fc.integer({ min: 1, max: 4 }),
});

function byPlace(a: MempoolOperation, b: MempoolOperation): number {
  return a.txid < b.txid ? -1 : a.txid > b.txid ? 1 : a.vout - b.vout;
}

test("H-38: every filter gives what going through all rows gives, in the same order, after every change", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const rows = new MempoolRows();
      let naive: MempoolOperation[] = [];
      for (const { added, gone: every } of steps) {
        const handedOut = [...rows.all];
        const before = rows.all;
        const gone = naive.filter((_row, index) => index % every === 0);
        const left = naive.filter((row) => !gone.includes(row));
        const isNew = (row: MempoolOperation): boolean => left.every((one) => byPlace(one, row) !== 0);
        const fresh = added.filter(isNew);
        naive = [...left, ...fresh].toSorted(byPlace);
        rows.change(gone, fresh);
        assert.deepEqual(rows.all, naive);
        assert.deepEqual(before, handedOut, "what was handed out stays as it was");
        for (const tick of [null, "A" as Tick, "B" as Tick, "C" as Tick]) {
          for (const address of [null, ...PEOPLE.map((one) => one as PearlAddress), "w" as PearlAddress]) {
            const meant = naive
              .filter((row) => tick === null || row.tick === tick)
              .filter(({ from, to }) => address === null || from === address || to === address);
            assert.deepEqual(rows.matching({ txid: null, tick, address }), meant);
            for (const txid of new Set([...naive.slice(0, 3).map((row) => row.txid), txidOf(7), txidOf(99)]))
              assert.deepEqual(
                rows.matching({ txid, tick, address }),
                meant.filter((row) => row.txid === txid),
              );
          }
        }
      }
    }),
  );
});
