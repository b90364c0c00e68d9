// Three readers and two candidates for the writer behind nginx as the documents set it up, as real processes over both
// chains. While people post asks and a consumer of events comes back again and again, a reader and the writer are killed:
// every ask is there once, the consumer has every event once, and all readers say the same.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { documentedBlock, needsNginx, startBalancer, triedByNginx } from "../../testkit/doubles/nginx.ts";
import type { LoadBalancer } from "../../testkit/doubles/round-robin.ts";
import { until } from "../../testkit/until.ts";
import { Http } from "../../testkit/worlds/swap-stage/http.ts";
import { party, signAsk } from "../../testkit/worlds/swap-stage/parties.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { ASKS, asksTold, Consumer, paySellers, post, startRole } from "./swap-clients.ts";
import { endAll, health, isAlive, type StartedProcess } from "./service-process.ts";

const SELLERS = 9;

interface Started {
  readonly strand: StartedProcess;
  readonly port: number;
}

const isOk = async (port: number): Promise<boolean> => (await health(port))?.["status"] === "ok";

const isWriting = ({ strand }: Started): boolean => !strand.stdout.includes("waits to take over");

test("nginx takes the configuration that the documents give", needsNginx(), () => {
  const { isTaken, said } = triedByNginx(documentedBlock([8080, 8081, 8082], 8080));
  assert.ok(isTaken, said);
});

describe("a load balancer over three readers and two candidates for the writer", needsPostgres(), () => {
  let cluster: PostgresCluster;
  let stage: SwapStage;
  let balancer: LoadBalancer | null = null;
  let url = "";
  const end = new AbortController();
  const over = end.signal;

  before(async () => {
    [cluster, stage] = await Promise.all([startPostgres(), SwapStage.open()]);
    url = await cluster.newUrl();
    await paySellers(stage, SELLERS);
  });

  after(async () => {
    end.abort();
    await balancer?.close();
    await endAll();
    await stage?.close();
    await cluster?.stop();
  });

  const start = (role: string): Promise<Started> => startRole(stage, role, { "--database-url": url });

  test("a reader and the writer are killed: every ask once, every event once, one answer from all", async () => {
    const writers = [await start("index"), await start("index")];
    const readers = [await start("serve"), await start("serve"), await start("serve")];
    const ports = readers.map(({ port }) => port);
    balancer = await startBalancer(ports);
    const http = new Http(balancer.url);
    await until("all readers are well", async () => (await Promise.all(ports.map(isOk))).every(Boolean));
    await until("one of the candidates waits", async () => !writers.every(isWriting));
    const consumer = new Consumer(balancer.url, over);
    await until("the consumer listens", async () => consumer.streams > 0);
    const asks = await Promise.all(
      Array.from({ length: SELLERS }, (_, at) => signAsk(stage, party(stage, at + 1))),
    );
    const bodies = asks.map(({ body }) => body);
    await Promise.all(bodies.slice(0, 3).map((body) => post(http, over, body)));
    // Who has no event yet has nothing to come back with.
    await until("the consumer has an event", () => consumer.told.length > 0);

    const [dead] = readers;
    assert.ok(dead !== undefined);
    process.kill(dead.strand.workerPid(), "SIGKILL");
    await Promise.all(bodies.slice(3, 6).map((body) => post(http, over, body)));

    const [writer, standby] = writers.toSorted(
      (one, other) => Number(isWriting(other)) - Number(isWriting(one)),
    );
    assert.ok(writer !== undefined && standby !== undefined && !isWriting(standby));
    const posted = Promise.all(bodies.slice(6).map((body) => post(http, over, body)));
    process.kill(writer.strand.workerPid(), "SIGKILL");
    const killedAt = performance.now();
    await stage.minePearl(1);
    const { tip } = stage.pearl.chain;
    const alive = ports.slice(1);
    await until("the new block is at all readers", async () => {
      const got = await Promise.all(
        alive.map((port) => new Http(`http://127.0.0.1:${port}`).get(`/api/v1/prc20/digest/${tip.height}`)),
      );
      return got.every(({ status }) => status === 200);
    });
    process.stdout.write(
      `# a new block at all readers ${Math.round(performance.now() - killedAt)} ms after SIGKILL\n`,
    );
    // A killed process has its number until the launcher has taken note of its end.
    await until("the killed writer is gone", () => !isAlive(writer.strand.workerPid()));
    // What a process says may come later than what it does.
    await until("the standby says that it writes", async () =>
      standby.strand.stdout.includes("this process is the writer of the database"),
    );
    await posted;

    const path = `${ASKS}?include_unfunded=true&limit=100`;
    await until("all readers show all asks alike", async () => {
      const got = await Promise.all(alive.map((port) => new Http(`http://127.0.0.1:${port}`).get(path)));
      return (
        got.every(({ text }) => text === got[0]?.text) &&
        got[0]?.text.split('"ask_id"').length === SELLERS + 1
      );
    });
    const listed = await new Http(`http://127.0.0.1:${alive[0]}`).get(path);
    for (const { askId } of asks) assert.equal(listed.text.split(`"ask_id":"${askId}"`).length, 2, askId);

    // Who comes now and asks for everything behind the first event is told the same, by whichever reader.
    const [first] = consumer.told;
    assert.ok(first !== undefined);
    const late = new Consumer(balancer.url, over, first.id);
    await until(
      "both consumers stand at the same event",
      async () => asksTold(consumer).length >= SELLERS && consumer.told.at(-1)?.id === late.told.at(-1)?.id,
    );
    await Promise.all([consumer.stop(), late.stop()]);
    assert.deepEqual(consumer.told.slice(1), late.told);
    const ids = consumer.told.map(({ id }) => id);
    assert.deepEqual(
      ids,
      [...new Set(ids)].toSorted((one, other) => one - other),
    );
    for (const { askId } of asks)
      assert.equal(
        consumer.told.filter(({ text }) => text.includes("event: ask\n") && text.includes(askId)).length,
        1,
      );
  });

  test("a reader with other settings of swaps than the writer's gives no answer, and says which", async () => {
    const { port } = await startRole(stage, "serve", {
      "--database-url": url,
      "--swap-small-deal-usdc": "5",
    });
    const http = new Http(`http://127.0.0.1:${port}`);
    await until("it has compared the settings", async () =>
      JSON.stringify((await health(port))?.["conditions"] ?? null).includes(
        "other settings of swaps than this one: SWAP_SMALL_DEAL_USDC.",
      ),
    );
    assert.equal((await http.get(ASKS)).status, 503);
  });
});
