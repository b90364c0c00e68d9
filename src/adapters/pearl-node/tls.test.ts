// The adapter trusts a certificate that a given authority signed for the right name, a pinned one under any name, and
// no other.

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { answerTip, client, closeAll, failure, fake } from "../../../test/pearl-node/client-fixture.ts";
import type { FakeNode } from "../../../test/pearl-node/fake-node.ts";
import {
  LEAF_CERTIFICATE,
  LEAF_KEY,
  MISNAMED_LEAF_CERTIFICATE,
  OTHER_CERTIFICATE,
  OWN_CERTIFICATE,
  OWN_KEY,
} from "../../../testkit/test-certificates.ts";
import { until } from "../../../testkit/until.ts";

afterEach(closeAll);

function secure(cert: string, key: string): Promise<FakeNode> {
  return fake(answerTip, { tls: { cert, key }, webSocket: true });
}

describe("TLS", () => {
  test("the node's own certificate is accepted whatever name it carries, for requests and notifications", async () => {
    const node = await secure(OWN_CERTIFICATE, OWN_KEY);
    const rpc = client(node.url, { ca: OWN_CERTIFICATE });
    assert.equal((await rpc.tip()).height, 7);
    rpc.onTipChange(() => {});
    await until("the subscription", () => node.subscribers.size === 1);
  });

  test("a node that closes every connection is asked on with the same session", async () => {
    const node = await secure(OWN_CERTIFICATE, OWN_KEY);
    const rpc = client(node.url, { ca: OWN_CERTIFICATE });
    for (let count = 0; count < 4; count += 1) await rpc.blockHash(7);
    assert.deepEqual([node.connections(), node.resumed()], [4, 3]);
  });

  test("a certificate that a given authority signed is accepted for the right name only", async () => {
    const good = await secure(LEAF_CERTIFICATE, LEAF_KEY);
    assert.equal((await client(good.url, { ca: OWN_CERTIFICATE }).tip()).height, 7);
    const misnamed = await secure(MISNAMED_LEAF_CERTIFICATE, LEAF_KEY);
    await failure(client(misnamed.url, { ca: OWN_CERTIFICATE }).tip(), "UNREACHABLE", /altnames/);
    // Pinned itself it is fine, though its signer is not given.
    assert.equal((await client(misnamed.url, { ca: MISNAMED_LEAF_CERTIFICATE }).tip()).height, 7);
  });

  test("anything else is refused at once, and no password is sent", async () => {
    const node = await secure(OWN_CERTIFICATE, OWN_KEY);
    for (const ca of [undefined, OTHER_CERTIFICATE, LEAF_CERTIFICATE]) {
      const rpc = client(node.url, ca === undefined ? {} : { ca });
      const before = node.connections();
      await failure(rpc.tip(), "UNREACHABLE", /certificate/i);
      assert.equal(node.connections() - before, 1);
    }
    assert.equal(node.requests.length, 0);
  });

  test("addresses that cannot be used are refused before anything is sent", () => {
    assert.throws(() => client("localhost:1"), /http: or https:/);
    assert.throws(() => client("not a url"), /no URL/);
    assert.throws(() => client("https://127.0.0.1:1", { ca: "nothing" }), /no PEM certificate/);
  });
});
