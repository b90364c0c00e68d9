// An engine that writes operations as JSON by itself writes what it would have read: the same pages both ways.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { IndexStore } from "../../src/index/ports.ts";
import type { OperationField, Page, PageRequest } from "../../src/index/pages.ts";
import type { OperationFilter } from "../../src/index/queries.ts";
import type { OperationView } from "../../src/index/views.ts";
import { ADDRESSES, TICKS } from "./chain-facts.ts";
import { ChainModel } from "./chain-model.ts";
import { type EngineFactory, walk, withStore } from "./engine.ts";

const ODD_NAME = 'a"b\\c\u0001\u007f\u2028é𝕏';

/** Every field under its own name, and one twice under a name that has to be escaped in SQL and JSON. */
const FIELDS: readonly (readonly [string, OperationField])[] = [
  ["height", "height"],
  ["txIndex", "txIndex"],
  ["txid", "txid"],
  ["vout", "vout"],
  ["op", "op"],
  ["tick", "tick"],
  ["valid", "valid"],
  ["reason", "reason"],
  ["payloadJson", "payloadJson"],
  ["blockHash", "blockHash"],
  ["time", "time"],
  ["from", "from"],
  ["to", "to"],
  ["amount", "amount"],
  ["listingId", "listingId"],
  ["confirmations", "confirmations"],
  ['it\'s "again"', "op"],
];

function expectedRow({ operation, blockHash, time }: OperationView, tip: number): Record<string, unknown> {
  const { height, txIndex, txid, vout, op, tick, reason, payloadJson, from, to, listingId } = operation;
  return {
    height,
    txIndex,
    txid,
    vout,
    op,
    tick,
    reason,
    payloadJson,
    blockHash,
    time,
    from,
    to,
    listingId,
    valid: operation.valid ? 1 : 0,
    amount: operation.amount === null ? null : String(operation.amount),
    confirmations: tip - height + 1,
    'it\'s "again"': op,
  };
}

async function textPage(
  store: IndexStore,
  filter: OperationFilter,
  page: PageRequest,
): Promise<Page<unknown>> {
  const { value } = await store.queries.operationsText(filter, page, FIELDS);
  const { buffer, from, to } = value.rows;
  const text = `[${Buffer.from(buffer.subarray(from, to)).toString("utf8")}]`;
  const rows: unknown = JSON.parse(text);
  // To the byte what JSON.stringify writes: 1.0 is another number to many a reader.
  assert.equal(JSON.stringify(rows), text);
  assert.ok(Array.isArray(rows));
  return { rows, next: value.next, prev: value.prev };
}

const FILTERS: readonly OperationFilter[] = [
  {},
  { valid: false },
  { op: "list" },
  { op: ODD_NAME },
  { height: 20 },
  { height: 23, valid: true },
  { height: 9999 },
  ...TICKS.slice(0, 2).flatMap((tick): OperationFilter[] => [
    { tick },
    { tick, valid: true },
    { tick, op: "send" },
    { tick, op: "burn", valid: false },
  ]),
  ...ADDRESSES.slice(0, 2).flatMap((address): OperationFilter[] => [
    { address },
    { address, op: "mint" },
    { address, height: 21 },
  ]),
];

/** Registers the cases. */
export function textCases(factory: EngineFactory): void {
  test("operations written as JSON are the operations that are read, page by page", async () => {
    const model = new ChainModel(33);
    const blocks = model.many(40, { actions: 6 });
    const last = model.open(600);
    last.unknown(ODD_NAME, ADDRESSES[0] ?? assert.fail());
    blocks.push(model.close(last));
    await withStore(factory, blocks, async (store) => {
      const tip = (await store.tip())?.height ?? -1;
      const places = [-1, 0, 7, blocks.length * 3, Number.MAX_SAFE_INTEGER];
      let rows = 0;
      for (const filter of FILTERS) {
        const read = await walk(async (page) => (await store.queries.operations(filter, page)).value, 7);
        const written = await walk((page) => textPage(store, filter, page), 7);
        assert.deepEqual(
          written,
          read.map((view) => expectedRow(view, tip)),
          JSON.stringify(filter),
        );
        rows += read.length;
        for (const place of places) {
          for (const direction of ["next", "prev"] as const) {
            const page: PageRequest = { limit: 3, start: { direction, key: [place] } };
            const { next, prev } = (await store.queries.operations(filter, page)).value;
            const text = await textPage(store, filter, page);
            assert.deepEqual([text.next, text.prev], [next, prev], `${direction} of ${place}`);
          }
        }
      }
      assert.ok(rows > 300, `only ${rows} rows compared`);
    });
  });
}
