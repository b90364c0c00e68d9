// When a database cannot be opened, the error says which one it is, why, and what to do.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { openSqliteStore } from "./sqlite-store.ts";
import { explained } from "./open-fault.ts";

const folder = mkdtempSync(join(tmpdir(), "strand-open-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function sentence(file: string): Promise<string> {
  const error: unknown = await openSqliteStore({ file }).then(
    async (store) => {
      await store.close();
      return "it opened";
    },
    (reason: unknown) => reason,
  );
  return error instanceof Error ? error.message : String(error);
}

describe("a database file that cannot be opened", () => {
  test("a directory, a file where the folder should be, and a file that is no database", async () => {
    const directory = join(folder, "directory");
    mkdirSync(directory);
    assert.match(await sentence(directory), /directory: it is a directory; give the path of a file in it/);
    const plain = join(folder, "plain");
    writeFileSync(plain, "x");
    assert.match(
      await sentence(join(plain, "index.db")),
      /index\.db: a file stands where its folder should be/,
    );
    const text = join(folder, "text.db");
    writeFileSync(text, "this is no database, and long enough to be looked at as one. ".repeat(20));
    assert.match(await sentence(text), /text\.db: it is damaged, or no SQLite database; .* DATABASE_URL/);
  });

  test("a file that another name of it has open is in use, also through links, and before it is there", async () => {
    const real = join(folder, "real.db");
    const [link, second] = [join(folder, "link.db"), join(folder, "link of the link.db")];
    symlinkSync("real.db", link);
    symlinkSync(link, second);
    const linkedFolder = join(folder, "linked folder");
    symlinkSync(folder, linkedFolder);
    const names = [real, link, second, join(linkedFolder, "real.db")];
    for (const first of [second, real]) {
      const store = await openSqliteStore({ file: first });
      for (const name of names) assert.match(await sentence(name), /\.db is in use by another process/, name);
      await store.close();
    }
    for (const name of names) assert.equal(await sentence(name), "it opened");
  });

  test("a lock file that is a directory is said of the database that it belongs to", async () => {
    const file = join(folder, "locked.db");
    mkdirSync(`${file}.lock`);
    assert.match(await sentence(file), /locked\.db/);
  });

  test("codes of the operating system in words", async () => {
    const words = {
      EACCES: /\/x\.db: this user may not write there; give the file and its folder/,
      EROFS: /\/x\.db: the file system is read-only; mount it/,
      ENOSPC: /\/x\.db: the disk is full; free some space/,
      ENOENT: /\/x\.db: its folder does not exist; create the folder/,
    };
    for (const [code, expected] of Object.entries(words)) {
      const error = Object.assign(new Error(`${code}: something`), { code });
      assert.match(String(await explained("/x.db", error)), expected);
    }
    assert.match(String(await explained("/x.db", new Error("database or disk is full"))), /the disk is full/);
  });

  test("SQLite's own words are explained by looking at the path", async () => {
    const missing = join(folder, "no", "such", "x.db");
    const vague = new Error("unable to open database file");
    assert.match(String(await explained(missing, vague)), /its folder does not exist/);
  });

  test("a file beside the database that belongs to another user is to be given to this one, and none to be removed", async () => {
    const file = join(folder, "given.db");
    const reason = "this user may not write there";
    for (const other of ["-wal", "-shm", ".lock"]) {
      const look = async (path: string) =>
        path === `${file}${other}` ? { reason, advice: "do something else" } : null;
      const said = String(await explained(file, new Error("unable to open database file"), look));
      assert.ok(said.includes(`of ${file}${other}, ${reason}; give all files`), said);
      assert.match(said, /remove none of them/);
    }
  });

  test("a directory where a file beside the database should be is to be moved away", async () => {
    const file = join(folder, "beside.db");
    mkdirSync(`${file}-wal`);
    const said = String(await explained(file, new Error("unable to open database file")));
    assert.ok(said.includes(`of ${file}-wal, it is a directory; move that directory away`), said);
  });

  test("other failures stay what they are", async () => {
    const busy = new Error("The database is in use by another process");
    assert.equal(await explained(join(folder, "x.db"), busy), busy);
  });
});
