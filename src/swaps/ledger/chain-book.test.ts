// Which PEARL blocks are to be read again: any number of notes, as there may be where old blocks cannot be had for long, since
// anybody's hint makes one (S-53).

import assert from "node:assert/strict";
import { test } from "node:test";
import { LOADING } from "./book-change.ts";
import { ChainBook } from "./chain-book.ts";
import { Layer } from "./layers.ts";

test("S-53: of a thousand notes the next one makes one, from their lowest block on, which no pass that has taken them ends", () => {
  const book = new ChainBook(new Layer<ChainBook>(null), null);
  for (let note = 0; note < 1000; note += 1) book.noteReread(5000 - note, LOADING);
  const taken = [...book.rereads.keys()];
  assert.equal(taken.length, 1000);
  const forgotten: string[] = [];
  book.noteReread(9000, { ...LOADING, forget: (_, key) => void forgotten.push(key) });
  assert.deepEqual([...book.rereads.values()], [4001]);
  assert.equal(forgotten.length, 1000);
  for (const note of taken) book.endReread(note, LOADING);
  assert.deepEqual([...book.rereads.values()], [4001]);
  book.noteReread(3000, LOADING);
  assert.deepEqual([...book.rereads.values()], [4001, 3000]);
});

test("S-53: a note beside a hundred and fifty thousand, as an earlier version may have stored them, ends nothing", () => {
  const book = new ChainBook(new Layer<ChainBook>(null), null);
  for (let note = 1; note <= 150_000; note += 1) book.loadReread({ id: String(note), height: note });
  book.noteReread(9, LOADING);
  assert.deepEqual([...book.rereads], [["150001", 1]]);
});
