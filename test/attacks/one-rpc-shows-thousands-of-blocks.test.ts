// One of two EVM RPCs shows a branch of its own with more blocks worth remembering than are remembered, and takes it back
// (S-05, S-07). The final block below is remembered all the same: nothing that was final is undone, and nobody is alarmed.
// One of three that goes on and on is left, so that what is remembered of its blocks stays bounded.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MAX_CHECKPOINTS } from "../../src/swaps/ledger/ports.ts";
import { endAfterEachTest, follow, rebuilt, serveChain } from "../evm/follow.ts";
import { type ScriptedBlock, scriptedChain } from "../evm/scripted-chain.ts";
import type { ScriptedRpc } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const CHAIN = scriptedChain(150, (n) => (n % 10 === 0 ? 2 : 0));
const FINAL = 100;
const FALSE = scriptedChain(FINAL + MAX_CHECKPOINTS + 100, () => 1, "false", CHAIN, FINAL + 1);

const serve = (chain: readonly ScriptedBlock[]): Promise<ScriptedRpc> => serveChain(chain, FINAL);

test("S-05, S-07: a branch of thousands of blocks with logs, which one RPC of two shows and takes back, undoes nothing final", async () => {
  const rpcs = [await serve(CHAIN.slice(0, 111)), await serve(CHAIN.slice(0, 111))] as const;
  const [liar, honest] = rpcs;
  const one = follow({ urls: [liar.url, honest.url] });
  const evm = () => one.ledger.tips().evm;
  await one.until(() => evm().finalHeight === FINAL);
  liar.chain = FALSE;
  await one.until(() => evm().height === FALSE.length - 1);
  const before = one.ledger.changes.length;
  liar.chain = CHAIN;
  honest.chain = CHAIN;
  for (const rpc of rpcs) rpc.final = 140;
  await one.until(() => evm().finalHeight === 140);
  assert.deepEqual(one.ledger.alarms(), []);
  const undone = one.ledger.changes.slice(before).flatMap(({ rewind }) => rewind?.toHeight ?? []);
  assert.ok(
    undone.every((to) => to >= FINAL),
    String(undone),
  );
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
});

for (const [what, mostAboveFinal] of [
  ["blocks", { blocks: 200, logs: 1e9 }],
  ["logs", { blocks: 1e9, logs: 200 }],
] as const) {
  test(`S-08: one RPC of three that shows too many ${what} above the final block is left, and they are gone`, async () => {
    const honest = CHAIN.slice(0, 111);
    const rpcs = [await serve(FALSE), await serve(honest), await serve(honest)] as const;
    const range = { first: 50, most: 50, manyLogs: 1e9 };
    const one = follow({ urls: rpcs.map(({ url }) => url), options: { mostAboveFinal, range } });
    await one.until(() => one.lines.some(({ message }) => /above the final block 100/.test(message)), 10_000);
    assert.ok(one.ledger.tips().evm.height < FINAL + 400, String(one.ledger.tips().evm.height));
    await one.until(() => one.ledger.tips().evm.height === honest.length - 1);
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpcs[1].url] }));
  });
}

for (const [who, left] of [
  ["one RPC of three", 0],
  ["an RPC that is no longer asked", 1],
] as const) {
  test(`A-135: a branch of ${who}, of which nothing is remembered that the others could contradict, is left`, async () => {
    const honest = CHAIN.slice(0, 121);
    const rpcs = [await serve(honest), await serve(honest), await serve(honest)] as const;
    const urls = rpcs.map(({ url }) => url);
    const first = follow({ urls });
    const { ledger } = first;
    await first.until(() => ledger.tips().evm.finalHeight === FINAL);
    rpcs[0].chain = FALSE;
    await first.until(() => ledger.tips().evm.height === FALSE.length - 1);
    first.close();
    const [newest, final] = ledger.checkpoints("evm").slice(-2);
    assert.equal(final?.height, FINAL);
    assert.ok(newest !== undefined && newest.height >= honest.length, "none between");
    // What the first process knew of the blocks between is gone with it.
    for (const rpc of rpcs) rpc.final = FINAL + 10;
    const next = follow({ urls: urls.slice(left), ledger });
    await next.until(() => ledger.tips().evm.finalHeight === FINAL + 10, 10_000);
    await next.until(() => ledger.tips().evm.height === honest.length - 1);
    assert.deepEqual(ledger.facts(), await rebuilt({ urls: [rpcs[1].url] }));
    assert.deepEqual(ledger.alarms(), []);
  });
}

test("S-08: an honest RPC is not left for what the one before it has shown, while that is being undone", async () => {
  const rpcs = [await serve(FALSE), await serve(CHAIN), await serve(CHAIN)] as const;
  const range = { first: 10, most: 10, manyLogs: 1e9 };
  const options = { mostAboveFinal: { blocks: 200, logs: 1e9 }, range };
  const one = follow({ urls: rpcs.map(({ url }) => url), options });
  one.ledger.writeMs = 20;
  const left = () => one.lines.filter(({ message }) => /above the final block 100/.test(message));
  await one.until(() => left().length > 0 && one.ledger.tips().evm.height === CHAIN.length - 1, 10_000);
  assert.deepEqual(
    left().map(({ message }) => message.includes(rpcs[0].url)),
    [true],
  );
});

test("S-08: blocks before the escrow's first one do not count as shown above the final block, where none is final", async () => {
  const rpcs = [await serveChain(CHAIN, null), await serveChain(CHAIN, null)] as const;
  const options = {
    mostAboveFinal: { blocks: 80, logs: 1e9 },
    range: { first: 10, most: 10, manyLogs: 1e9 },
  };
  const one = follow({ urls: rpcs.map(({ url }) => url), firstBlock: 90, options });
  await one.until(() => one.ledger.tips().evm.height === CHAIN.length - 1, 10_000);
});

test("S-08: what one RPC has shown in too many logs is undone where the chains of the others are longer by then", async () => {
  const false110 = scriptedChain(110, () => 30, "false", CHAIN, FINAL + 1);
  const rpcs = [await serve(false110), await serve(CHAIN.slice(0, 105)), await serve(CHAIN)] as const;
  const options = { mostAboveFinal: { blocks: 1e9, logs: 200 } };
  const one = follow({ urls: rpcs.map(({ url }) => url), options });
  await one.until(() => one.ledger.tips().evm.height === 110);
  rpcs[1].chain = CHAIN;
  await one.until(() => one.ledger.tips().evm.height === CHAIN.length - 1, 10_000);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpcs[1].url] }));
});

describe("S-08: too many logs in blocks that all RPCs have", () => {
  /** So many logs in each of the ten newest blocks. */
  const full = scriptedChain(110, (n) => (n > FINAL ? 30 : 2));
  const quiet = full.map(({ block, logs }) => ({ block, logs: logs.slice(0, 2) }));
  const options = { mostAboveFinal: { blocks: 1e9, logs: 200 } };

  test("one RPC invents them: the next one reads these blocks again, and the index goes on", async () => {
    const rpcs = [await serve(full), await serve(quiet), await serve(quiet)] as const;
    const one = follow({ urls: rpcs.map(({ url }) => url), options });
    await one.until(() => one.ledger.tips().evm.height === 110);
    const longer = [full, quiet, quiet].map((chain) => scriptedChain(111, () => 1, "main", chain, 111));
    for (const [i, rpc] of rpcs.entries()) rpc.chain = longer[i] ?? [];
    await one.until(() => one.ledger.tips().evm.height === 111, 10_000);
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpcs[1].url] }));
  });

  test("the chain has them: the index goes on by the word of two", async () => {
    const rpcs = [await serve(full), await serve(full), await serve(full)] as const;
    const one = follow({ urls: rpcs.map(({ url }) => url), options });
    await one.until(() => one.ledger.tips().evm.height === 110);
    const longer = scriptedChain(130, () => 1, "main", full, full.length);
    for (const rpc of rpcs) rpc.chain = longer;
    await one.until(() => one.ledger.tips().evm.height === 130);
    const undone = one.ledger.changes.flatMap(({ rewind }) => rewind?.toHeight ?? []);
    assert.deepEqual(undone, [FINAL]);
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpcs[1].url] }));
  });

  test("the chain has them in many ranges: the index goes on by the word of two", async () => {
    const rpcs = [await serve(full), await serve(full), await serve(full)] as const;
    const range = { first: 2, most: 2, manyLogs: 1e9 };
    const one = follow({ urls: rpcs.map(({ url }) => url), options: { ...options, range } });
    const longer = scriptedChain(130, () => 1, "main", full, full.length);
    for (const rpc of rpcs) rpc.chain = longer;
    await one.until(() => one.ledger.tips().evm.height === 130);
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpcs[1].url] }));
  });
});

test("S-08: one of two RPCs shows nearly too many logs, and a block that the other one has makes them too many: that is no word of two", async () => {
  const mostAboveFinal = { blocks: 1e9, logs: 200 };
  const head = FINAL + 9;
  const full = scriptedChain(head, (n) => (n > FINAL ? 20 : 2));
  const quiet = full.map(({ block, logs }) => ({ block, logs: logs.slice(0, 2) }));
  const rpcs = [await serve(full), await serve(quiet)] as const;
  const [liar, honest] = rpcs;
  const range = { first: 10, most: 10, manyLogs: 1e9 };
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { mostAboveFinal, range, laggardS: 1 } });
  const { ledger } = one;
  const timesLeft = () => one.lines.filter(({ message }) => /above the final block 100/.test(message)).length;
  await one.until(() => ledger.tips().evm.height === head && ledger.count > 180);
  liar.meddle = ({ method }) => (method === "eth_getLogs" ? { result: "none" } : undefined);
  honest.chain = scriptedChain(head + 1, () => 30, "main", quiet, quiet.length);
  await one.until(() => ledger.tips().evm.height === head + 1);
  honest.chain = scriptedChain(head + 2, () => 1, "main", honest.chain, head + 2);
  await one.until(() => timesLeft() > 0 || ledger.tips().evm.height === head + 2);
  liar.meddle = () => undefined;
  const invented = [...full, ...honest.chain.slice(full.length)];
  liar.chain = scriptedChain(600, () => 1, "false", invented, invented.length);
  const before = timesLeft();
  let most = 0;
  await one.until(() => {
    most = Math.max(most, ledger.unsettled(FINAL + 1, 1e9).length);
    return most > 300 || timesLeft() > before + 1;
  }, 10_000);
  assert.ok(most <= 300, `${most} logs are remembered`);
});
