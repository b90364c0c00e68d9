// The primary of PostgreSQL is killed under a writer, readers before it and a reader before its hot standby; the standby is
// promoted and takes the primary's address. Nobody is started again: indexing goes on, every ask that was accepted is
// there once, and a consumer that resumes has every event once. Commits wait for the standby, as the documents advise.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startBalancer } from "../../testkit/doubles/nginx.ts";
import {
  needsPostgres,
  type PostgresCluster,
  type StandbyCluster,
  startPostgres,
} from "../../testkit/doubles/postgres.ts";
import type { LoadBalancer } from "../../testkit/doubles/round-robin.ts";
import { until } from "../../testkit/until.ts";
import { Http } from "../../testkit/worlds/swap-stage/http.ts";
import { party, signAsk } from "../../testkit/worlds/swap-stage/parties.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { endAll, health } from "./service-process.ts";
import { ASKS, asksTold, Consumer, paySellers, post, startRole } from "./swap-clients.ts";

const SELLERS = 6;

async function show(port: number, path: string): Promise<string> {
  return (await new Http(`http://127.0.0.1:${port}`).get(path)).text;
}

describe("PostgreSQL is killed and its hot standby promoted", needsPostgres(), () => {
  let primary: PostgresCluster;
  let standby: StandbyCluster | null = null;
  let stage: SwapStage;
  let balancer: LoadBalancer | null = null;
  let folder = "";
  const end = new AbortController();
  const over = end.signal;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "strand-address-"));
    [primary, stage] = await Promise.all([startPostgres({ durable: true }), SwapStage.open()]);
    await paySellers(stage, SELLERS);
  });

  after(async () => {
    end.abort();
    await balancer?.close();
    await endAll();
    await stage?.close();
    await standby?.stop();
    await primary?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(role: string, database: string, address: string): Promise<number> {
    const databases = { "--database-url": database, "--database-primary-url": address };
    return (await startRole(stage, role, databases)).port;
  }

  test("all go on by themselves with all that was accepted", async () => {
    const own = await primary.newUrl();
    standby = await primary.startStandby();
    const copy = standby;
    await primary.run(own, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await primary.run(own, "SELECT pg_reload_conf()");
    const place = join(folder, "now");
    symlinkSync(primary.folder, place);
    const at = (to: string): string =>
      own.replace(encodeURIComponent(primary.folder), encodeURIComponent(to));
    const address = at(place);

    await start("index", address, address);
    const ports = [
      await start("serve", address, address),
      await start("serve", at(copy.folder), address),
      await start("serve", address, address),
    ];
    balancer = await startBalancer(ports);
    const http = new Http(balancer.url);
    const areWell = async (): Promise<boolean> =>
      (await Promise.all(ports.map(health))).every((told) => told?.["status"] === "ok");
    await until("all readers are well", areWell);
    const consumer = new Consumer(balancer.url, over);
    await until("the consumer listens", () => consumer.streams > 0);
    const asks = await Promise.all(
      Array.from({ length: SELLERS }, (_, seller) => signAsk(stage, party(stage, seller + 1))),
    );
    const bodies = asks.map(({ body }) => body);
    await Promise.all(bodies.slice(0, 3).map((body) => post(http, over, body)));
    await until("the consumer has an event", () => consumer.told.length > 0);
    const path = `${ASKS}?include_unfunded=true&limit=100`;
    await until("the reader before the standby answers as the others", async () => {
      const [one, other] = await Promise.all(ports.slice(0, 2).map((port) => show(port, path)));
      return one === other && one?.split('"ask_id"').length === 4;
    });

    const posted = Promise.all(bodies.slice(3).map((body) => post(http, over, body)));
    await primary.takeAway();
    const killedAt = performance.now();
    await copy.promote();
    rmSync(place);
    symlinkSync(copy.folder, place);
    const movedAt = performance.now();
    await stage.minePearl(1);
    const { tip } = stage.pearl.chain;
    await until("the new block is at all readers", async () => {
      const got = await Promise.all(ports.map((port) => show(port, `/api/v1/prc20/digest/${tip.height}`)));
      return got.every((text) => text.includes(tip.hash));
    });
    const [whole, sinceMoved] = [killedAt, movedAt].map((from) => Math.round(performance.now() - from));
    process.stdout.write(
      `# a block at all readers ${whole} ms after SIGKILL, ${sinceMoved} ms after the address\n`,
    );
    await posted;
    await until("all readers are well again", areWell);

    await until("all readers show all asks alike", async () => {
      const got = await Promise.all(ports.map((port) => show(port, path)));
      return got.every((text) => text === got[0]) && got[0]?.split('"ask_id"').length === SELLERS + 1;
    });
    const listed = await show(ports[0] ?? 0, path);
    for (const { askId } of asks) assert.equal(listed.split(`"ask_id":"${askId}"`).length, 2, askId);
    const [first] = consumer.told;
    assert.ok(first !== undefined);
    const late = new Consumer(balancer.url, over, first.id);
    await until(
      "both consumers stand at the same event",
      () => asksTold(consumer).length >= SELLERS && consumer.told.at(-1)?.id === late.told.at(-1)?.id,
    );
    await Promise.all([consumer.stop(), late.stop()]);
    assert.deepEqual(consumer.told.slice(1), late.told);
    const ids = consumer.told.map(({ id }) => id);
    assert.deepEqual(
      ids,
      [...new Set(ids)].toSorted((one, other) => one - other),
    );
    assert.equal(consumer.told.filter(({ text }) => text.includes("event: reset\n")).length, 0);
  });
});
