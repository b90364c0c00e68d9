// Snapshots of indexes of random chains: put together again they are the same rows, their digests follow from the rows
// alone, and what was changed in them is found, whatever the checksums say.

import assert from "node:assert/strict";
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { addressHash } from "../../src/adapters/store-sqlite/address-hash.ts";
import { addressSeed } from "../../src/adapters/store-sqlite/address-ids.ts";
import { auditStore } from "../../src/adapters/store-sqlite/audit/audit.ts";
import { openPassingReader } from "../../src/adapters/store-sqlite/connection.ts";
import { digestsFromRows } from "../../src/adapters/store-sqlite/snapshot/digests-from-rows.ts";
import { exportSnapshot } from "../../src/adapters/store-sqlite/snapshot/export-snapshot.ts";
import { assembleSnapshot, openAssembled } from "../../src/adapters/store-sqlite/snapshot/import-snapshot.ts";
import { openReplay } from "../../src/adapters/store-sqlite/read/index-reader.ts";
import { makeOwn } from "../../src/adapters/store-sqlite/snapshot/make-own.ts";
import { readManifest } from "../../src/adapters/store-sqlite/snapshot/manifest.ts";
import { termsFromRows } from "../../src/adapters/store-sqlite/snapshot/terms-from-rows.ts";
import { remakeUndo } from "../../src/adapters/store-sqlite/snapshot/undo-from-rows.ts";
import { kindOf } from "../../src/adapters/store-rows/kinds.ts";
import { compareIndexes, undoHeights } from "../../src/adapters/store-rows/compare-rows.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { sha256 } from "../../src/adapters/system/hashes.ts";
import { verifySchnorr } from "../../src/adapters/system/schnorr.ts";
import type { StoreDump } from "../../src/index/ports.ts";
import { initialDigest } from "../../src/prc20/digest.ts";
import type { ProtocolRules } from "../../src/prc20/rules.ts";
import { NO_CHANGE } from "../../src/swaps/ledger/ports.ts";
import { testRules } from "../../testkit/builders/core-index/index.ts";
import { ForkingChain } from "./chains.ts";
import { withIndex } from "./live-index.ts";

const PART_BYTES = 100_000;

let folder = "";
let source = "";
let rules: ProtocolRules;
let dump: StoreDump;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "strand-snapshot-"));
  source = join(folder, "index.db");
  const chain = new ForkingChain(8200, { actors: 6, transactions: 10 }).grow(40);
  const { params } = chain.branch();
  rules = { ...testRules("simnet", params.feeAddress, params.feeBps), startHeight: params.startHeight };
  await withIndex(params, { file: source }, async (index) => {
    await index.follow(chain.branch().blocks);
    chain.reorganise(3, 4);
    await index.follow(chain.branch().blocks);
  });
  dump = await dumpOf(source);
});

after(() => rmSync(folder, { recursive: true, force: true }));

async function dumpOf(file: string): Promise<StoreDump> {
  const store = await openSqliteStore({ file });
  try {
    return await store.dump();
  } finally {
    await store.close();
  }
}

/** What is wrong with the rows of a database. */
function findingsOf(file: string): readonly string[] {
  const connection = openAssembled(file);
  try {
    const hashOf = addressHash(addressSeed(connection));
    const steps = [
      ...digestsFromRows(connection, initialDigest(rules, sha256), hashOf),
      ...termsFromRows(connection, { rules, sha256, verifySchnorr }),
    ];
    return [...steps.flatMap((step) => ("finding" in step ? [step.finding] : [])), ...auditStore(connection)];
  } finally {
    connection.close();
  }
}

test("a snapshot is put together again in several runs, and its rows give every digest", async () => {
  const parts = join(folder, "parts");
  const { height, digest } = exportSnapshot(source, parts, PART_BYTES);
  let manifest = readManifest(parts);
  assert.equal(manifest.digest, digest);
  assert.ok(manifest.parts.length > 3 && height > 40);
  assert.equal(readdirSync(parts).length, manifest.parts.length + 1, "nothing is left beside the parts");
  exportSnapshot(source, parts, PART_BYTES);
  manifest = readManifest(parts);
  assert.equal(manifest.digest, digest, "one that is there is replaced");
  const target = join(folder, "imported.db");
  const first = join(parts, "part-00001.gz");
  const third = join(parts, "part-00003.gz");
  const bytes = readFileSync(third);
  writeFileSync(third, bytes.subarray(1));
  assert.throws(() => assembleSnapshot(parts, manifest, target), /part-00003\.gz is damaged/);
  writeFileSync(third, bytes);
  // The process ended in the middle of a part: what is whole is not read again.
  truncateSync(target, PART_BYTES + 17);
  rmSync(first);
  const seen: number[] = [];
  assembleSnapshot(parts, manifest, target, (count) => seen.push(count));
  assert.equal(seen[0], 2);
  assert.deepEqual(findingsOf(target), []);
  const imported = openAssembled(target);
  const seed = addressSeed(imported);
  makeOwn(imported);
  assert.notEqual(addressSeed(imported), seed);
  imported.close();
  assert.deepEqual(findingsOf(target), []);
  assert.deepEqual(await dumpOf(target), dump);
});

test("nothing of swaps, no event id and not the seed is in it, and no byte of theirs", async () => {
  const own = join(folder, "own.db");
  copyFileSync(source, own);
  const connection = openAssembled(own);
  connection.run(
    "INSERT INTO swap_fact (kind, key, chain, height, body) VALUES ('ask', 'k', NULL, NULL, ?)",
    `{"note":"${"somebody's own business ".repeat(400)}"}`,
  );
  const seed = addressSeed(connection);
  connection.close();
  const parts = join(folder, "own-parts");
  const manifest = { ...exportSnapshot(own, parts), format: "strand-snapshot/1" as const };
  const target = join(folder, "own-imported.db");
  assembleSnapshot(parts, manifest, target);
  assert.equal(readFileSync(target).includes("somebody's own business"), false);
  assert.equal(
    readFileSync(target).includes(seed),
    false,
    "who knows the seed makes addresses that are slow",
  );
  const store = await openSqliteStore({ file: target });
  await assert.rejects(store.swaps.commit(NO_CHANGE), /no identity/);
  assert.deepEqual(await store.queries.eventGroups(0, 10), []);
  await store.close();
});

/** Changes that leave the checksums right, because they were made before them. */
const LIES: Readonly<Record<string, string>> = {
  "an operation that never was":
    "UPDATE op SET amount = amount || '0' WHERE place = (SELECT min(place) FROM op WHERE amount IS NOT NULL)",
  "another verdict":
    "UPDATE op SET reason = 'ANCHOR_NOT_SPENT' WHERE place = (SELECT min(place) FROM op WHERE reason IS NOT NULL AND reason <> 'ANCHOR_NOT_SPENT')",
  "a richer address":
    "UPDATE balance SET balance = balance || '0' WHERE (address_id, tick) = (SELECT address_id, tick FROM balance WHERE balance <> '0' LIMIT 1)",
  "a richer past":
    "UPDATE ledger SET balance = balance || '0' WHERE (address_id, change_key) = (SELECT address_id, change_key FROM ledger WHERE balance <> '0' ORDER BY change_key LIMIT 1)",
  "a listing that was cancelled":
    "UPDATE listing SET state = 3 WHERE place = (SELECT min(place) FROM listing WHERE state = 4)",
  "another block": "UPDATE block SET digest = randomblob(32) WHERE height = 20",
};

for (const [name, sql] of Object.entries(LIES)) {
  test(`what was changed in a snapshot is found: ${name}`, () => {
    const lie = join(folder, "lie.db");
    copyFileSync(source, lie);
    const connection = openAssembled(lie);
    assert.equal(connection.run(sql), 1, "the lie must hit a row");
    connection.close();
    assert.ok(findingsOf(lie).length > 0);
  });
}

const DEPLOYED = "(SELECT min(tick) FROM token)";
const ENDED = "(SELECT min(place) FROM listing WHERE state > 2)";

/** One that is known, and whose fields are texts. */
const INVALID =
  "(SELECT min(place) FROM op WHERE reason IS NOT NULL AND reason NOT IN ('OP_UNKNOWN', 'FIELD_TYPE') AND name_id IS NULL)";

/** Of all this no digest and no book speaks. */
const TERMS: Readonly<Record<string, string>> = {
  "decimals that nobody could write": `UPDATE token SET dec = '99999999' WHERE tick = ${DEPLOYED}`,
  "decimals that are no number": `UPDATE token SET dec = 'many' WHERE tick = ${DEPLOYED}`,
  "a larger mint": `UPDATE token SET lim = max || '0' WHERE tick = ${DEPLOYED}`,
  "a content id": `UPDATE token SET cid = printf('%.*c', 9999, 'x') WHERE tick = ${DEPLOYED}`,
  "another deploy's text": `UPDATE op SET payload = (SELECT payload FROM op WHERE kind = ${kindOf("deploy", true)} ORDER BY place DESC LIMIT 1)
    WHERE place = (SELECT min(place) FROM op WHERE kind = ${kindOf("deploy", true)})`,
  "a text that is no operation": "UPDATE op SET payload = 'x' WHERE place = (SELECT min(place) FROM op)",
  "a text of a megabyte":
    "UPDATE op SET payload = payload || printf('%.*c', 1000000, ' ') WHERE place = (SELECT min(place) FROM op)",
  "a text that asks for less": `UPDATE op SET payload = replace(payload, '"amt":"' || amount, '"amt":"1')
    WHERE place = (SELECT min(place) FROM op WHERE kind = ${kindOf("transfer", true)} AND payload LIKE '%"amt":"' || amount || '"%')`,
  "an unknown operation that is known": `UPDATE op SET reason = 'OP_UNKNOWN' WHERE place = ${INVALID}`,
  "a field of another type that is none": `UPDATE op SET reason = 'FIELD_TYPE' WHERE place = ${INVALID}`,
  "another send's text": `UPDATE op SET payload = (SELECT payload FROM op WHERE kind = ${kindOf("send", true)} ORDER BY place DESC LIMIT 1)
    WHERE place = (SELECT min(place) FROM op WHERE kind = ${kindOf("send", true)})`,
  "a token that nobody has deployed": `INSERT INTO token SELECT 'NOBODY', dec, max, lim, pre, minted, burned, cid, deployer_id,
    deploy_txid, deploy_height, 99999999, holders, transfers, open_count, filled_count, cancelled_count, invalid_spent_count,
    filled_amount, invalid_spent_amount, fee_paid, seller_paid FROM token WHERE tick = ${DEPLOYED}`,
  "an invalid operation of another name":
    'UPDATE op SET payload = replace(payload, \'"op":"\', \'"op":"x\') WHERE place = (SELECT min(place) FROM op WHERE reason IS NOT NULL)',
  "an invalid operation that filled somebody's listing":
    "UPDATE op SET filled_owner_id = from_id WHERE place = (SELECT min(place) FROM op WHERE reason IS NOT NULL)",
  "a listing that never expires":
    "UPDATE listing SET exp = exp + 1000 WHERE place = (SELECT min(place) FROM listing WHERE state > 1 AND exp IS NOT NULL)",
  "another anchor": `UPDATE listing SET anchor_amount = anchor_amount + 1 WHERE place = ${ENDED}`,
  "an anchor of more than there is": `UPDATE listing SET anchor_amount = '18446744073709' || (551616 + anchor_amount)
    WHERE place = ${ENDED} AND anchor_amount < 400000`,
  "another signature": `UPDATE listing SET signature = randomblob(64) WHERE place = ${ENDED}`,
  "a long signature": `UPDATE listing SET signature = zeroblob(9999) WHERE place = ${ENDED}`,
  "another policy hash": `UPDATE listing SET policy_hash = randomblob(32) WHERE place = ${ENDED}`,
  "a listing's end at another time": `UPDATE listing SET close_time = close_time + 1 WHERE place = ${ENDED}`,
  "a listing's begin at another time": `UPDATE listing SET created_time = created_time + 1 WHERE place = ${ENDED}`,
  "a fill by another transaction":
    "UPDATE listing SET close_txid = randomblob(32) WHERE place = (SELECT min(place) FROM listing WHERE state = 2)",
  "a time before all times": "UPDATE block SET time = -1 WHERE height = 0",
  "a time after all times": "UPDATE block SET time = 4294967296 WHERE height = 0",
  "transactions in another order":
    "UPDATE op SET tx_index = tx_index + 1000 WHERE place = (SELECT min(place) FROM op)",
  "a transaction within two": "UPDATE op SET tx_index = 0.5 WHERE place = (SELECT min(place) FROM op)",
};

for (const [name, sql] of Object.entries(TERMS)) {
  test(`what no inscribed text, signature or block makes is found in a snapshot: ${name}`, () => {
    const lie = join(folder, "terms.db");
    copyFileSync(source, lie);
    const connection = openAssembled(lie);
    try {
      assert.equal(connection.run(sql), 1, "the lie must hit a row");
      const steps = [...termsFromRows(connection, { rules, sha256, verifySchnorr })];
      assert.ok(steps.some((step) => "finding" in step));
    } finally {
      connection.close();
    }
  });
}

/** Differences of the undo records of a database from those of the index that the snapshot was made of. */
async function undoDifferences(file: string): Promise<readonly string[]> {
  const held = openReplay(file);
  const right = openReplay(source);
  try {
    assert.deepEqual(await held.rows.answer(undoHeights()), await right.rows.answer(undoHeights()));
    const found: string[] = [];
    for await (const step of compareIndexes(held.rows, right.rows))
      if ("finding" in step) found.push(step.finding);
    return found;
  } finally {
    held.close();
    right.close();
  }
}

test("undo records are those that the rows give, whatever the snapshot says of them", async () => {
  const lie = join(folder, "undo.db");
  copyFileSync(source, lie);
  const connection = openAssembled(lie);
  const heights = connection.all("SELECT height FROM undo").length;
  assert.ok(heights > 40);
  connection.run("UPDATE undo SET record = (SELECT record FROM undo ORDER BY length(record) DESC LIMIT 1)");
  assert.deepEqual(auditStore(connection), [], "nothing else binds them");
  remakeUndo(connection, 1000);
  assert.deepEqual(await undoDifferences(lie), []);
  remakeUndo(connection, 7);
  assert.equal(connection.all("SELECT height FROM undo").length, 7);
  connection.close();
});

/** Totals of a past block come into effect when it is the tip again. */
const PAST_TOTALS: Readonly<Record<string, string>> = {
  "the fees of a past block": "UPDATE block SET fee_paid = '9' || fee_paid WHERE height = 35",
  "the listings of a past block": "UPDATE block SET lists_open = lists_open + 1 WHERE height = 35",
  "the holders of a past block": "UPDATE block SET distinct_holders = distinct_holders + 1 WHERE height = 35",
  "the expired listings of a past block":
    "UPDATE block SET lists_expired_open = lists_expired_open + 1 WHERE height = 35",
  "the places of a past block": "UPDATE block SET next_place = next_place + 1 WHERE height = 35",
};

for (const [name, sql] of Object.entries(PAST_TOTALS)) {
  test(`what a rewind would bring back is what the rows give: ${name}`, () => {
    const lie = join(folder, "totals.db");
    copyFileSync(source, lie);
    const connection = openAssembled(lie);
    assert.equal(connection.run(sql), 1);
    assert.throws(() => remakeUndo(connection, 1000), /block 3[56] (?:do not follow|hold something)/);
    connection.close();
  });
}

/** What somebody may bring in the schema of a database, and never in its rows. */
const FOREIGN_SCHEMAS: Readonly<Record<string, string>> = {
  "a trigger that changes a balance later":
    "CREATE TRIGGER op_after AFTER INSERT ON block BEGIN UPDATE balance SET balance = '7'; END",
  "a table in the place of another one": `ALTER TABLE swap_fact RENAME TO swap_fact_kept;
    CREATE VIEW swap_fact AS SELECT * FROM swap_fact_kept`,
  "an index that is missing": "DROP INDEX op_by_kind",
  "an index of other rows": "DROP INDEX op_by_kind; CREATE INDEX op_by_kind ON op (kind) WHERE kind > 3",
};

for (const [name, sql] of Object.entries(FOREIGN_SCHEMAS)) {
  test(`a snapshot's schema is compared with that of a new database: ${name}`, () => {
    const foreign = join(folder, "foreign.db");
    copyFileSync(source, foreign);
    const database = new DatabaseSync(foreign);
    database.exec(sql);
    database.close();
    assert.throws(() => openAssembled(foreign), /the snapshot is wrong: The schema (?:holds|lacks) the /);
    const verified = openPassingReader(foreign);
    const found = auditStore(verified);
    verified.close();
    assert.match(found.join(" "), /The schema (?:holds|lacks) the /);
  });
}
