// A node of either chain answers a small question with lists that are empty, as many as the bytes of an answer leave room for:
// packed they are some kilobytes on the wire, and taken apart a gigabyte and more of memory, for which the event loop, and
// everybody who asks the service, would stand still for a quarter of a minute. Such an answer is not read on.

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { afterEach, test } from "node:test";
import { client, closeAll, failure, fake } from "../pearl-node/client-fixture.ts";
import { endAfterEachTest, follow, serveChain } from "../evm/follow.ts";
import { scriptedChain } from "../evm/scripted-chain.ts";

endAfterEachTest();
afterEach(closeAll);

const HEAD = 20;
const PIECE = "[],".repeat(100_000);
/** As many of them as an answer has bytes for. */
const PIECES = 150;

/** Answers with pieces until they are all written, or nobody takes them any more; `written` is told of each. */
async function answerWithLists(id: number, response: ServerResponse, written: () => void): Promise<void> {
  response
    .writeHead(200, { "content-type": "application/json" })
    .write(`{"jsonrpc":"2.0","id":${id},"junk":[`);
  const gone = new Promise<void>((resolve) => response.on("close", () => resolve()));
  for (let i = 0; i < PIECES && !response.destroyed; i += 1) {
    written();
    if (!response.write(PIECE))
      await Promise.race([gone, new Promise<void>((resolve) => response.once("drain", () => resolve()))]);
  }
  response.end('0],"result":[]}');
}

test("S-07: an EVM RPC of two that answers with millions of empty lists is given up amid them, and the other one is read", async () => {
  const chain = scriptedChain(HEAD, () => 1);
  const [liar, honest] = [await serveChain(chain, 1), await serveChain(chain, 1)];
  let [answers, pieces] = [0, 0];
  liar.takeover = ([call], response) => {
    if (call?.method !== "eth_getLogs") return false;
    answers += 1;
    void answerWithLists(call.id, response, () => void (pieces += 1));
    return true;
  };
  const one = follow({ urls: [liar.url, honest.url] });
  await one.until(() => one.ledger.tips().evm.height === HEAD && answers > 0);
  assert.ok(pieces < (answers * PIECES) / 2, `${pieces} pieces in ${answers} answers`);
});

test("S-07: an EVM RPC of two whose newest block names more transactions than any chain's has gives none, and the other one is read", async () => {
  const chain = scriptedChain(HEAD, () => 1);
  const [liar, honest] = [await serveChain(chain, 1), await serveChain(chain, 1)];
  liar.meddle = ({ params }) => {
    const { block } = chain[HEAD] ?? {};
    const transactions = Array<string>(125_000).fill(block?.hash ?? "");
    return params[0] === "latest" ? { result: { ...block, transactions } } : undefined;
  };
  const one = follow({ urls: [liar.url, honest.url] });
  await one.until(() => one.lines.some(({ message }) => message.includes("above 8388608 bytes")), 20_000);
  await one.until(() => one.ledger.tips().evm.height === HEAD);
});

test("S-09: a PEARL node whose answer holds more values than a mempool has transactions gives none", async () => {
  const node = await fake((request) => {
    const ids = "0,".repeat(4_000_000);
    request.send(200, `{"result":[${ids}0],"error":null,"id":${request.calls[0]?.id}}`);
  });
  await failure(client(node.url).mempoolTxids(), "UNREACHABLE", /above 4000000 values/);
});
