// The file of a SQLite database is damaged under a running service, or before it starts: by a disk, or by a copy that was
// put into place wrongly. Whatever such a file still answers may be wrong, so the process ends, with 1 and a sentence.

import assert from "node:assert/strict";
import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { ServiceStage, type StartedService } from "../process/service-stage.ts";

const PAGE_BYTES = 4096;

const stage = new ServiceStage(17, 40);
const { world } = stage;
/** Each test has a file of its own. */
let file = "";
beforeEach(() => {
  file = stage.file(`${file === "" ? "first" : "second"}-index`);
});

const start = (): Promise<StartedService> => stage.start(`sqlite:${file}`);

/** A service that has indexed all, ended. */
async function indexed(): Promise<void> {
  const service = await start();
  await service.atTip();
  await service.end();
}

/** Overwrites the pages from this one on; the first of all has the header of the file. */
function damage(from: number): void {
  const opened = openSync(file, "r+");
  const pages = fstatSync(opened).size / PAGE_BYTES;
  assert.ok(pages > from, `${pages} pages`);
  for (let page = from; page < pages; page += 1) {
    writeSync(opened, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, page * PAGE_BYTES);
  }
  closeSync(opened);
}

async function assertEndsAsDamaged({ strand }: StartedService): Promise<void> {
  const { code, stdout, stderr } = await strand.ended;
  assert.equal(code, 1, stdout + stderr);
  assert.match(stderr, /index\.db.* damaged/);
  assert.match(stderr, /copy|backup/);
}

test("under a running service: it ends", async () => {
  await indexed();
  const service = await start();
  await service.atTip();
  damage(2);
  world.grow(3);
  await assertEndsAsDamaged(service);
});

test("behind its first pages before a start: the service ends, at once or when it comes upon it", async () => {
  await indexed();
  damage(8);
  const service = await start();
  world.grow(1);
  await assertEndsAsDamaged(service);
});
