// A buyer posts his secret by mistake before it is public (S-66). Whoever hears of it then could claim the USDC for a seller
// who has locked nothing: it is refused, and of the PEARL nodes only the operator's own is asked whether it is an id, never
// one that others run, also while that one is followed.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig } from "../../src/app/config/config.ts";
import { startService } from "../../src/app/main.ts";
import { MACHINE, type Outside } from "../../src/app/outside.ts";
import { takeBody } from "../../testkit/builders/party.ts";
import { bytesOf } from "../../testkit/bytes.ts";
import { SILENT } from "../../testkit/doubles/log.ts";
import { Http } from "../../testkit/worlds/swap-stage/http.ts";
import { party, signAsk, times } from "../../testkit/worlds/swap-stage/parties.ts";
import { payOutputs, SWAPS } from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";

const SECRET = "5e".repeat(32);

/** The machine's, which notes what is asked by which look-ups: those of so many nodes, the first of which is this one. */
function listening(asked: Set<string>): Outside {
  return {
    ...MACHINE,
    openLookups: (nodes, options) => {
      const lookups = MACHINE.openLookups(nodes, options);
      const of = `${nodes.addresses.length} node, ${nodes.addresses[0]?.url}`;
      const note = (id: string): void => {
        asked.add(`${id} of ${of}`);
      };
      return {
        transaction: (txid) => {
          note(txid);
          return lookups.transaction(txid);
        },
        isBlock: (id) => {
          note(id);
          return lookups.isBlock(id);
        },
        close: () => lookups.close(),
      };
    },
  };
}

test("S-66: a secret that is posted early is told to no node that others run; an id that the own node knows is none", async (t) => {
  const stage = await SwapStage.open();
  t.after(() => stage.close());
  const others = stage.pearl.url.replace("127.0.0.1", "localhost");
  const config = readConfig({
    flags: new Map(
      Object.entries(
        stage.flags({
          "--pearl-witness-urls": others,
          "--database-url": `sqlite:${join(stage.folder, "second.db")}`,
        }),
      ),
    ),
    environment: {},
    readFile: () => null,
  });
  assert.ok(config.ok, config.ok ? "" : config.error.join("\n"));
  const asked = new Set<string>();
  const service = await startService(config.value, { log: SILENT, outside: listening(asked) });
  t.after(() => service.stop());
  const http = new Http(`http://127.0.0.1:${service.port}`);
  const [buyer, seller] = [party(stage, 1), party(stage, 2)];
  const mined = await payOutputs(stage, seller, 1, 2_000_000_000n);
  await stage.until("the second service at the tip", async () => {
    const { pearl, tips } = service.swapSides() ?? assert.fail();
    return tips.pearl.height === stage.pearl.chain.tip.height && pearl.nodeHeight === tips.pearl.height;
  });
  const offer = await signAsk(stage, seller, { nonce: 1n });
  assert.equal((await http.post(`${SWAPS}/asks`, offer.body)).status, 201);
  const at = await times(stage);
  for (const digits of [SECRET, mined]) {
    const hashlock = `0x${hash("sha256", bytesOf(digits))}` as const;
    const taken = await http.post(`${SWAPS}/asks/${offer.askId}/take`, takeBody(buyer, hashlock, at));
    assert.equal(taken.status, 201, taken.text);
  }
  const answerTo = async (digits: string): Promise<unknown> =>
    (await http.get(`${SWAPS}/deals/0x${digits}`)).body["error"];
  assert.equal(await answerTo(SECRET), "SECRET_REFUSED");
  assert.deepEqual(
    [...asked].filter((line) => line.startsWith(SECRET)),
    [`${SECRET} of 1 node, ${stage.pearl.url}/`],
  );
  assert.equal(await answerTo(mined), "DEAL_NOT_FOUND");
});
