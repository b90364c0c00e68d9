// Whether there is code at an account, and what its contract says of a signature, is what two EVM RPCs say (S-07, S-31): one
// of several that lies makes no forged signature good and no honest one bad, and one that hangs keeps nobody waiting.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { openEvmChain } from "../../src/adapters/evm-rpc/open-evm-chain.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import type { EvmChain } from "../../src/swaps/evm/evm-chain.ts";
import { bytes32, evmAddress } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { ESCROW, scriptedChain } from "../evm/scripted-chain.ts";
import { type Meddling, ScriptedRpc } from "../evm/scripted-rpc.ts";

const WALLET = evmAddress("wallet");
const DIGEST = bytes32("digest");
const ACCEPTED = `0x1626ba7e${"00".repeat(28)}`;
const REFUSED = `0x${"00".repeat(32)}`;

const rpcs: ScriptedRpc[] = [];
let chain: EvmChain | null = null;
afterEach(async () => {
  chain?.close();
  await Promise.all(rpcs.splice(0).map((rpc) => rpc.stop()));
});

/** Shows this code at every account, and this word of every contract. */
const showing =
  (code: string, word: string): Meddling =>
  ({ method }) => {
    if (method === "eth_getCode") return { result: code };
    return method === "eth_call" ? { result: word } : undefined;
  };
const KEY = showing("0x", "0x");
const ACCEPTS = showing("0x60", ACCEPTED);
const REFUSES = showing("0x60", REFUSED);

type Behaviour = Meddling | "hangs" | "down";

async function opened(...behaviours: readonly Behaviour[]): Promise<EvmChain> {
  for (const behaviour of behaviours) {
    const rpc = await new ScriptedRpc(scriptedChain(1, () => 0)).start();
    rpcs.push(rpc);
    if (behaviour === "hangs") rpc.takeover = () => true;
    else if (behaviour === "down")
      rpc.meddle = () => ({ error: { code: -32_000, message: "internal error" } });
    else rpc.meddle = behaviour;
  }
  chain = openEvmChain({
    urls: rpcs.map(({ url }) => url),
    chainId: 31_337,
    escrow: ESCROW,
    confirmations: 1,
    clock: systemClock,
    patience: { attempts: 1 },
  });
  return chain;
}

const codeBy = async (...behaviours: readonly Behaviour[]) =>
  (await (await opened(...behaviours)).accounts.haveCode([WALLET]))[0];
for (const place of [0, 1, 2]) {
  test(`S-31: of three the word of one, the ${place + 1}., changes nothing`, async () => {
    assert.equal(await codeBy(...[KEY, KEY].toSpliced(place, 0, ACCEPTS)), false);
    const { accounts } = await openedAnew([ACCEPTS, ACCEPTS].toSpliced(place, 0, KEY));
    assert.deepEqual(await accounts.haveCode([WALLET]), [true]);
    const forged = await openedAnew([REFUSES, REFUSES].toSpliced(place, 0, ACCEPTS));
    assert.equal(await forged.accounts.judgeSignature(WALLET, DIGEST, "0x01"), "invalid");
    const honest = await openedAnew([ACCEPTS, ACCEPTS].toSpliced(place, 0, REFUSES));
    assert.equal(await honest.accounts.judgeSignature(WALLET, DIGEST, "0x01"), "valid");
  });
}

async function openedAnew(behaviours: readonly Behaviour[]): Promise<EvmChain> {
  chain?.close();
  await Promise.all(rpcs.splice(0).map((rpc) => rpc.stop()));
  return opened(...behaviours);
}

test("S-31: where two contradict each other nothing is known", async () => {
  assert.equal(await codeBy(ACCEPTS, KEY), null);
  await assert.rejects(chain?.accounts.judgeSignature(WALLET, DIGEST, "0x01") ?? Promise.resolve(), {
    name: "EvmUnavailable",
    code: "UNSETTLED",
  });
});

test("S-31: nor where one of several answers alone", async () => {
  await assert.rejects(codeBy("down", KEY), { name: "EvmUnavailable" });
  await assert.rejects(chain?.accounts.judgeSignature(WALLET, DIGEST, "0x01") ?? Promise.resolve(), {
    name: "EvmUnavailable",
  });
});

test("S-31: one of three that hangs is not waited for, and holds few questions", async () => {
  const { accounts } = await opened("hangs", ACCEPTS, ACCEPTS);
  const startedMs = Date.now();
  for (let i = 0; i < 30; i += 1) {
    assert.equal(await accounts.judgeSignature(WALLET, bytes32(`digest ${i}`), "0x01"), "valid");
    assert.deepEqual(await accounts.haveCode([WALLET]), [true]);
  }
  assert.ok(Date.now() - startedMs < 3000);
  assert.ok((rpcs[0]?.calls.length ?? 0) <= 8, `${rpcs[0]?.calls.length} questions`);
});

test("S-31: the only RPC is believed", async () => {
  assert.equal(await codeBy(ACCEPTS), true);
  assert.equal(await chain?.accounts.judgeSignature(WALLET, DIGEST, "0x01"), "valid");
});

test("S-31: an account whose code changes right now leaves the others of its question known", async () => {
  const stranger = evmAddress("stranger");
  const halfWay: Meddling = ({ method, params }) =>
    method === "eth_getCode" ? { result: params[0] === stranger ? "0x60" : "0x" } : undefined;
  const { accounts } = await opened(KEY, halfWay);
  assert.deepEqual(await accounts.haveCode([WALLET, stranger, ESCROW]), [false, null, false]);
});
