// Long random histories beside a plain model, which judges each step first: the contract has to agree on whether it
// passes, on every state and on every balance, and the invariants have to hold after each step.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Abi, type Address, encodeFunctionData, type Hex, toHex, zeroAddress } from "viem";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import { type EscrowModel, STATES, type Step } from "./escrow-model.ts";
import { ACTORS, BUYERS, History } from "./history.ts";
import { hostileAbi, sha256, Stage, word } from "./stage.ts";
import type { TermsMessage } from "./typed-messages.ts";
import { seededTest, seeds } from "../../testkit/seeds.ts";

const STEPS = 450;
const SEEDS = seeds([1, 20_260_101, 7]);
/** Everything that the contract says of money, in one batch of calls. */
async function books(stage: Stage): Promise<Map<string, bigint>> {
  const { address, usdc } = stage.escrow;
  const names: string[] = [];
  const calls: { to: Address; data: Hex }[] = [];
  const read = (name: string, to: Address, data: Hex): void => {
    names.push(name);
    calls.push({ to, data });
  };
  for (const account of [...ACTORS.map((index) => stage.address(index)), address]) {
    read(`tokens ${account}`, usdc, viewData(hostileAbi, "balanceOf", account));
    read(`fees ${account}`, address, viewData(escrowAbi, "accruedFees", account));
    read(`credits ${account}`, address, viewData(escrowAbi, "credits", account));
  }
  const body = calls.map((call, id) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_call",
    params: [call, "latest"],
  }));
  const response = await fetch(stage.anvil.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answers = (await response.json()) as { id: number; result: Hex }[];
  return new Map(answers.map(({ id, result }) => [names[id] ?? "", BigInt(result)]));
}

function viewData(abi: Abi, functionName: string, account: Address): Hex {
  return encodeFunctionData({ abi, functionName, args: [account] });
}

function modelBooks(stage: Stage, model: EscrowModel): Map<string, bigint> {
  const { address } = stage.escrow;
  const all = new Map<string, bigint>();
  for (const account of [...ACTORS.map((index) => stage.address(index)), address]) {
    all.set(`tokens ${account}`, account === address ? model.held : (model.tokens.get(account) ?? 0n));
    all.set(`fees ${account}`, model.fees.get(account) ?? 0n);
    all.set(`credits ${account}`, model.credits.get(account) ?? 0n);
  }
  return all;
}

/** Sends a step whether it can pass or not. */
async function send(stage: Stage, step: Step, data: Hex | null, time: bigint) {
  const { anvil, escrow } = stage;
  await anvil.setNextTime(time);
  const refusal =
    step.kind === "refuse"
      ? encodeFunctionData({
          abi: hostileAbi,
          functionName: "setRefused",
          args: [step.whom as Address, step.value],
        })
      : null;
  const to = refusal === null ? escrow.address : escrow.usdc;
  const call = { from: step.by, to, data: refusal ?? data, gas: toHex(2_000_000) };
  const hash = (await anvil.rpc("eth_sendTransaction", [call])) as Hex;
  return anvil.publicClient.waitForTransactionReceipt({ hash });
}

/** Who may have more tokens after this step (S-21, S-23). */
function mayGain(step: Step, model: EscrowModel): readonly (string | null)[] {
  if (step.kind === "withdrawFees" || step.kind === "withdrawCredit") return [step.to];
  if (!("order" in step)) return [];
  const order = model.orders.get(step.order);
  if (step.kind === "claim") return [order?.seller ?? null];
  return step.kind === "lock" || step.kind === "lockWithAsk" || step.kind === "accept"
    ? []
    : [order?.buyer ?? null];
}

/** The logs alone give the same orders as the views, and no order ended twice (S-25). */
async function checkLogs(stage: Stage, history: History): Promise<void> {
  const { address, block } = stage.escrow;
  const logs = await stage.anvil.publicClient.getContractEvents({
    address,
    abi: escrowAbi,
    fromBlock: block,
  });
  const rebuilt = new Map<Hex, { state: number; terms: TermsMessage; seller: Address; key: Hex }>();
  for (const log of logs) {
    const { eventName, args } = log;
    if (!("orderHash" in args) || args.orderHash === undefined || eventName === "PayoutCredited") continue;
    const old = rebuilt.get(args.orderHash);
    if (eventName === "OrderLocked") {
      assert.equal(old, undefined, "a hash is locked twice");
      assert.ok("terms" in args && args.terms !== undefined);
      rebuilt.set(args.orderHash, { state: 1, terms: args.terms, seller: zeroAddress, key: word(0n) });
      continue;
    }
    assert.ok(old !== undefined && old.state <= 2, `${eventName} after the end`);
    if (eventName === "OrderAccepted") {
      assert.equal(old.state, 1);
      old.state = 2;
      old.seller = args.seller ?? zeroAddress;
      old.key = args.sellerPearlKey ?? word(0n);
    } else if (eventName === "OrderCancelled") {
      assert.equal(old.state, 1);
      old.state = 5;
    } else if (eventName === "OrderRefunded") {
      assert.equal(args.amount, old.terms.usdcAmount);
      old.state = 4;
    } else if (eventName === "OrderClaimed") {
      assert.equal(old.state, 2);
      assert.equal((args.sellerNet ?? 0n) + (args.fee ?? 0n), old.terms.usdcAmount);
      assert.equal(sha256(args.secret ?? "0x"), old.terms.hashlock);
      old.state = 3;
    }
  }
  assert.equal(rebuilt.size, history.model.orders.size);
  for (const [hash, order] of rebuilt) {
    assert.deepEqual(await stage.read.orders([hash]), [order.state, order.terms, order.seller, order.key]);
    assert.equal(STATES[order.state], history.model.orders.get(hash)?.state);
    assert.ok((history.model.orders.get(hash)?.ends ?? 0) <= 1);
  }
}

async function play(stage: Stage, history: History): Promise<void> {
  const { model, random } = history;
  for (const index of ACTORS) {
    const account = stage.address(index);
    model.tokens.set(account, await stage.balance(account));
  }
  let time = await stage.anvil.time();
  let old = modelBooks(stage, model);
  for (let count = 0; count < STEPS; count += 1) {
    time += BigInt(1 + random.below(random.oneIn(8) ? 6 * 3600 : 1800));
    const { step, data } = await history.draw(time);
    const passes = model.apply(step, time);
    const receipt = await send(stage, step, data, time);
    const name = `step ${count} ${step.kind}`;
    assert.equal(receipt.status === "success", passes, name);
    const tally = passes ? history.passed : history.failed;
    tally.set(step.kind, (tally.get(step.kind) ?? 0) + 1);
    const now = await books(stage);
    assert.deepEqual(now, modelBooks(stage, model), name);
    const held = now.get(`tokens ${stage.escrow.address}`) ?? 0n;
    assert.ok(held >= model.owed(), `${name}: the escrow holds less than it owes`);
    for (const [entry, amount] of now) {
      const [kind, account] = entry.split(" ");
      if (kind !== "tokens" || account === stage.escrow.address || amount <= (old.get(entry) ?? 0n)) continue;
      assert.ok(mayGain(step, model).includes(account ?? ""), `${name}: ${account} gains`);
    }
    if ("order" in step) {
      const state = STATES[await stage.state(step.order as Hex)];
      assert.equal(state, model.orders.get(step.order)?.state ?? "none", name);
    }
    old = now;
  }
  await checkLogs(stage, history);
}

const passed = new Set<string>();
const failed = new Set<string>();

for (const seed of SEEDS)
  seededTest(
    `S-20 to S-25: ${STEPS} random steps go as the model says (seed ${seed})`,
    seed,
    async (context) => {
      const stage = await Stage.open();
      try {
        for (const buyer of BUYERS) await stage.fund(buyer);
        const history = new History(stage, seed);
        await play(stage, history);
        for (const kind of history.passed.keys()) passed.add(kind);
        for (const kind of history.failed.keys()) failed.add(kind);
        context.diagnostic(`seed ${seed}: ${JSON.stringify(Object.fromEntries(history.passed))} passed`);
      } finally {
        await stage.close();
      }
    },
  );

test("every kind of step passed and failed in these histories", () => {
  const kinds = ["accept", "cancel", "claim", "lock", "lockWithAsk", "pause", "refund", "refundCooperative"];
  kinds.push("revokeAsks", "setFee", "unpause", "withdrawCredit", "withdrawFees");
  assert.deepEqual([...failed].toSorted(), kinds);
  assert.deepEqual([...passed].toSorted(), [...kinds, "refuse"].toSorted());
});
