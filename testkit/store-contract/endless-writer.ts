// A program to be killed: goes on writing the blocks of one chain into a SQLite index, one commit after the other, and
// prints the height of each acknowledged commit.

import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { BASE } from "./chain-facts.ts";
import { ChainModel } from "./chain-model.ts";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("usage: endless-writer.ts <database file>");
const store = await openSqliteStore({ file });
const chain = new ChainModel(7);
if ((await store.tip()) === null) await store.commitBase(BASE);
const tip = await store.tip();
chain.many((tip?.height ?? BASE.height) - BASE.height);
for (;;) {
  const blocks = chain.many(4);
  await store.commit(blocks, 1000);
  process.stdout.write(`${blocks.at(-1)?.height}\n`);
}
