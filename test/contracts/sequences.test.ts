// Long random histories beside a plain model, which judges each step first: the contract has to agree on whether it
// passes, on what it logs, on every state and on every balance, and the invariants have to hold after each step.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Abi,
  type Address,
  encodeFunctionData,
  type Hex,
  parseEventLogs,
  toHex,
  type TransactionReceipt,
  zeroAddress,
} from "viem";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import { conservationFault, type EscrowStorage, plainText } from "../../testkit/oracles/escrow.ts";
import { ACTORS, BUYERS, History, type Step } from "./history.ts";
import { hostileAbi, hashOfWord, ContractStage, word } from "./contract-stage.ts";
import type { TermsMessage } from "./typed-messages.ts";
import { seededTest, seeds } from "../../testkit/seeds.ts";

const STEPS = 450;
const SEEDS = seeds([1, 20_260_101, 7]);
/** The model's names of the states, by the contract's numbers. */
const STATES = ["None", "Locked", "Accepted", "Claimed", "Refunded", "Cancelled"];
/** Everything that the contract says of money, in one batch of calls. */
async function books(stage: ContractStage): Promise<Map<string, bigint>> {
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

function modelBooks(stage: ContractStage, storage: EscrowStorage): Map<string, bigint> {
  const { address } = stage.escrow;
  const { usdc } = storage;
  const [fees, credits] = [new Map<string, bigint>(storage.fees), new Map<string, bigint>(storage.credits)];
  const all = new Map<string, bigint>();
  for (const account of [...ACTORS.map((index) => stage.address(index)), address]) {
    all.set(`tokens ${account}`, usdc.get(account === address ? "escrow" : account) ?? 0n);
    all.set(`fees ${account}`, fees.get(account) ?? 0n);
    all.set(`credits ${account}`, credits.get(account) ?? 0n);
  }
  return all;
}

/** Name, sums and accounts of a log. */
function told(kind: string, args: object): string {
  const values = new Map<string, unknown>(Object.entries(args));
  const fields = ["amount", "sellerNet", "fee", "feeBps", "nonceBelow", "account", "to", "secret"];
  return `${kind} ${plainText(fields.map((field) => values.get(field) ?? null))}`;
}

function contractLogs({ logs }: TransactionReceipt): string[] {
  return parseEventLogs({ abi: escrowAbi, logs }).map(({ eventName, args }) => told(eventName, args));
}

/** Sends a step whether it can pass or not. */
async function send(stage: ContractStage, step: Step, time: bigint): Promise<TransactionReceipt> {
  const { anvil, escrow } = stage;
  await anvil.setNextTime(time);
  const [to, data] =
    step.kind === "refuse"
      ? [
          escrow.usdc,
          encodeFunctionData({
            abi: hostileAbi,
            functionName: "setRefused",
            args: [step.whom, step.value],
          }),
        ]
      : [escrow.address, step.data];
  const call = { from: step.by, to, data, gas: toHex(2_000_000) };
  const hash = (await anvil.rpc("eth_sendTransaction", [call])) as Hex;
  return anvil.publicClient.waitForTransactionReceipt({ hash });
}

/** Who may have more tokens after this step (S-21, S-23). */
function mayGain(step: Step, { orders }: EscrowStorage): readonly string[] {
  if (step.kind === "refuse") return [];
  const { call } = step;
  if (call.fn === "withdrawFees" || call.fn === "withdrawCredit") return [call.to];
  if (call.fn === "lock" || call.fn === "lockWithAsk" || !("orderHash" in call)) return [];
  const order = orders.get(call.orderHash);
  if (order === undefined || call.fn === "accept") return [];
  return [call.fn === "claim" ? order.seller : order.terms.buyer];
}

/** The logs alone give the same orders as the views, and no order ended twice (S-25). */
async function checkLogs(stage: ContractStage, history: History): Promise<void> {
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
      assert.equal(hashOfWord(args.secret ?? "0x"), old.terms.hashlock);
      old.state = 3;
    }
  }
  const keys = new Map(history.opened.map(({ hash, key }) => [hash, key]));
  assert.equal(rebuilt.size, history.storage.orders.size);
  for (const [hash, order] of rebuilt) {
    assert.deepEqual(await stage.read.orders([hash]), [order.state, order.terms, order.seller, order.key]);
    const key = keys.get(hash);
    assert.ok(key !== undefined);
    assert.equal(STATES[order.state], history.storage.orders.get(key)?.state);
  }
}

async function play(stage: ContractStage, history: History): Promise<void> {
  const { random } = history;
  const usdc = new Map<string, bigint>();
  for (const index of ACTORS) {
    const account = stage.address(index);
    usdc.set(account, await stage.balance(account));
  }
  history.storage = { ...history.storage, usdc };
  const supply = [...usdc.values()].reduce((sum, one) => sum + one, 0n);
  let time = await stage.anvil.time();
  let old = modelBooks(stage, history.storage);
  for (let count = 0; count < STEPS; count += 1) {
    time += BigInt(1 + random.below(random.oneIn(8) ? 6 * 3600 : 1800));
    const step = await history.draw(time);
    const logs = history.judge(step, time);
    const receipt = await send(stage, step, time);
    const name = `step ${count} ${step.kind}`;
    assert.equal(receipt.status === "success", logs !== null, name);
    assert.deepEqual(
      contractLogs(receipt),
      (logs ?? []).map((log) => told(log.kind, log)),
      `${name}: logs`,
    );
    const tally = logs === null ? history.failed : history.passed;
    tally.set(step.kind, (tally.get(step.kind) ?? 0) + 1);
    const { storage } = history;
    const now = await books(stage);
    assert.deepEqual(now, modelBooks(stage, storage), name);
    // The model's books are the contract's, and they balance: it holds what it owes, to the unit.
    assert.equal(conservationFault(storage, supply), null, name);
    for (const [entry, amount] of now) {
      const [kind, account = ""] = entry.split(" ");
      if (kind !== "tokens" || account === stage.escrow.address || amount <= (old.get(entry) ?? 0n)) continue;
      assert.ok(mayGain(step, storage).includes(account), `${name}: ${account} gains`);
    }
    if (step.kind !== "refuse" && step.order !== null) {
      const state = STATES[await stage.state(step.order.hash)];
      assert.equal(state, storage.orders.get(step.order.key)?.state ?? "None", name);
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
      const stage = await ContractStage.open();
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
