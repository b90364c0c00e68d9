// The buyers of the demo sign what they mean themselves, whatever payload the service hands them.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fill } from "../../demo/acts/fill.ts";
import { castOf } from "../../demo/cast.ts";
import { found } from "../../demo/founding.ts";
import type { Row } from "../../demo/index-client.ts";
import { Purse } from "../../demo/purse.ts";
import { MARKER, type Stage } from "../../demo/stage.ts";
import { type PearlNode, startPearlNode } from "../../testkit/doubles/pearl-node/index.ts";

const cast = castOf("a seed for tests");
const [ada, ben, cleo] = [cast.named("Ada"), cast.named("Ben"), cast.named("Cleo")];
const TXID = "ab".repeat(32);
const ID = `list:${TXID}:0`;

const QUOTE: Row = {
  intent_id: ID,
  protocol_fee_sat: "0",
  protocol_address: "",
  seller_net_sat: "50000",
  seller_address: ada.address,
  anchor_txid: TXID,
  anchor_vout: 0,
  anchor_amount_sat: "546",
  anchor_script_hex: Buffer.from(ada.key.script).toString("hex"),
  seller_anchor_sig_hex: `0x${"00".repeat(64)}83`,
};

const LISTING = {
  id: ID,
  tick: "A",
  amount: 1n,
  price: 50_000n,
  owner: ada.address,
  anchorTxid: TXID,
  anchorVout: 0,
  sellerNet: 50_000n,
  seller: ada.address,
  state: "open",
};

const sendTo = (to: string, id = ID) => JSON.stringify({ p: MARKER, op: "send", id, to });

describe("a purchase", () => {
  let node: PearlNode;
  before(async () => {
    node = await startPearlNode({ rpcUser: "u", rpcPassword: "p", miningScript: ada.key.script });
    found(node, cast);
  });
  after(() => node.close());

  /** What the buyer sends where the service's template names this payload, and how the purchase ends. */
  async function bought(payload: string): Promise<{ readonly sent: number; readonly end: string }> {
    let sent = 0;
    const stage: Stage = {
      cast,
      purse: new Purse(node, cast),
      node: {
        sendRawTransaction: async () => {
          sent += 1;
          return TXID;
        },
      },
      index: {
        base: "",
        rows: async (path) => [path.includes("fill-template") ? { payload_json: payload } : QUOTE],
        hasReached: async () => true,
      },
    };
    const end = await fill(stage, ben, [LISTING]).then(String, (error: unknown) => String(error));
    return { sent, end };
  }

  test("is not begun where the service's payload sends the tokens to somebody else", async () => {
    for (const payload of [sendTo(cleo.address), sendTo(ben.address, `${ID}0`), "{}"]) {
      const { sent, end } = await bought(payload);
      assert.match(end, /is no send to its buyer/);
      assert.equal(sent, 0);
    }
  });

  test("is begun with the buyer's own payload; the offer is judged before it is paid", async () => {
    const { sent, end } = await bought(sendTo(ben.address));
    assert.match(end, /ANCHOR_SIG_INVALID/);
    assert.equal(sent, 1);
  });
});
