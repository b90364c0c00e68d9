// A container over another one is, to whoever asks it, what a plain one would be to which the same was done; the one
// beneath is as before until the changes are laid down, and then the one above is as the one beneath was.

import assert from "node:assert/strict";
import { describe } from "node:test";
import { Random } from "../../../testkit/random.ts";
import { seededTest, seeds } from "../../../testkit/seeds.ts";
import { Layer, LayeredIndex, LayeredMap, type LayeredValue } from "./layers.ts";
import { MultiIndex } from "./multi-index.ts";

const KEYS = ["a", "b", "c", "d", "e", "f"];

function key(random: Random): string {
  return KEYS[random.below(KEYS.length)] ?? "a";
}

function change(
  random: Random,
  ...maps: { set(k: string, v: number): unknown; delete(k: string): unknown }[]
) {
  const [which, value, isSet] = [key(random), random.below(1000), random.below(3) > 0];
  for (const map of maps) {
    if (isSet) map.set(which, value);
    else map.delete(which);
  }
}

function link(
  random: Random,
  ...indexes: { add(k: string, m: string): unknown; delete(k: string, m: string): unknown }[]
) {
  const [which, member, isAdded] = [key(random), key(random), random.below(3) > 0];
  for (const index of indexes) {
    if (isAdded) index.add(which, member);
    else index.delete(which, member);
  }
}

function sameMap(layered: LayeredMap<string, number>, plain: Map<string, number>): void {
  assert.deepEqual([...layered], [...plain]);
  assert.deepEqual([...layered.keys()], [...plain.keys()]);
  assert.deepEqual([...layered.values()], [...plain.values()]);
  assert.equal(layered.size, plain.size);
  for (const one of KEYS) {
    assert.equal(layered.get(one), plain.get(one));
    assert.equal(layered.has(one), plain.has(one));
  }
}

function sameIndex(layered: LayeredIndex<string, string>, plain: MultiIndex<string, string>): void {
  for (const one of KEYS) {
    assert.deepEqual([...layered.of(one)], [...plain.of(one)]);
    assert.equal(layered.count(one), plain.count(one));
    assert.equal(layered.has(one), plain.has(one));
    for (const other of KEYS) assert.equal(layered.includes(one, other), plain.includes(one, other));
  }
  const known = new Set(layered.keys());
  assert.ok(layered.size >= plain.size);
  for (const one of plain.keys()) assert.ok(known.has(one));
}

describe("containers over others", () => {
  for (const seed of seeds([1, 2, 3, 4])) {
    seededTest(`a map (seed ${seed})`, seed, () => {
      const random = new Random(seed);
      for (let round = 0; round < 200; round += 1) {
        const [under, before, after] = [
          new LayeredMap<string, number>(null),
          new Map<string, number>(),
          new Map<string, number>(),
        ];
        for (let count = random.below(8); count > 0; count -= 1) change(random, under, before, after);
        const over = new LayeredMap(under);
        for (let count = random.below(8); count > 0; count -= 1) change(random, over, after);
        sameMap(under, before);
        sameMap(over, after);
        over.layDown();
        sameMap(under, after);
        assert.deepEqual(new Map(over), before);
      }
    });

    seededTest(`an index, whose watcher hears what is laid down (seed ${seed})`, seed, () => {
      const random = new Random(seed);
      for (let round = 0; round < 200; round += 1) {
        const watched = new Set<string>();
        const under = new LayeredIndex<string, string>(null, watched);
        const [before, after] = [new MultiIndex<string, string>(), new MultiIndex<string, string>()];
        for (let count = random.below(12); count > 0; count -= 1) link(random, under, before, after);
        const over = new LayeredIndex(under, watched);
        for (let count = random.below(12); count > 0; count -= 1) link(random, over, after);
        sameIndex(under, before);
        sameIndex(over, after);
        assert.deepEqual(watched, new Set(before.keys()));
        over.layDown();
        sameIndex(under, after);
        assert.deepEqual(watched, new Set(after.keys()));
        for (const one of KEYS) assert.deepEqual(new Set(over.of(one)), new Set(before.of(one)));
      }
    });
  }

  seededTest("a layer lays all of them down, those within it too", 1, () => {
    interface Book {
      readonly value: LayeredValue<number>;
      readonly inner: { readonly map: LayeredMap<string, number> };
    }
    const book = (layer: Layer<Book>): Book => {
      const inner = layer.within((under) => under.inner);
      return { value: layer.value((under) => under.value, 1), inner: { map: inner.map(({ map }) => map) } };
    };
    const under = book(new Layer<Book>(null));
    const layer = new Layer(under);
    const over = book(layer);
    over.value.value = 2;
    over.inner.map.set("a", 3);
    assert.deepEqual([under.value.value, under.inner.map.get("a")], [1, undefined]);
    layer.layDown();
    assert.deepEqual([under.value.value, under.inner.map.get("a")], [2, 3]);
    assert.deepEqual([over.value.value, over.inner.map.get("a")], [1, undefined]);
  });
});
