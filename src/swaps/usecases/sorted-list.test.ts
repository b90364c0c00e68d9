// A sorted list holds what an array sorted anew would hold, whatever is changed and in how large pieces.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../testkit/properties.ts";
import { SortedList } from "./sorted-list.ts";

interface Entry {
  readonly at: number;
  readonly version: number;
}

const places = fc.uniqueArray(fc.nat(200), { maxLength: 120 });

test("entries come in, are replaced and go, and pages begin behind their place", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ removed: places, added: places })), fc.nat(200), (changes, place) => {
      const list = new SortedList<Entry, Pick<Entry, "at">>((one, other) => one.at - other.at);
      const held = new Map<number, Entry>();
      for (const [version, { removed, added }] of changes.entries()) {
        list.change(
          removed.map((at) => ({ at })),
          added.map((at) => ({ at, version })),
        );
        for (const at of removed) held.delete(at);
        for (const at of added) held.set(at, { at, version });
      }
      const all = [...held.values()].toSorted((one, other) => one.at - other.at);
      assert.equal(list.size, all.length);
      assert.deepEqual([...list.walk(null)], all);
      const start = { place: { at: place } };
      assert.deepEqual(
        [...list.walk({ ...start, direction: "next" })],
        all.filter(({ at }) => at > place),
      );
      assert.deepEqual(
        [...list.walk({ ...start, direction: "prev" })],
        all.filter(({ at }) => at < place).toReversed(),
      );
    }),
  );
});
