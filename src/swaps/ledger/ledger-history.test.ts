// The ledger forgets what was reorganised away. Random histories of both chains with deep reorganisations, failed commits
// and restarts: at any time the state equals that of a ledger that was opened again, and that of one that only ever saw
// the chains as they are now (with the secrets and sightings that S-13 and S-15 keep).

import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Bytes32, Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { EscrowEvent, PearlBlockFact, Sighting } from "../../swap/facts.ts";
import { type Terms, ZERO_BYTES32 } from "../../swap/terms.ts";
import {
  alarmLog,
  bytes32,
  evmAddress,
  evmPlace,
  ledgerParts,
  outpoint,
  pearlPlace,
  pointKey,
  secretOf,
  terms,
  txid,
} from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { MemorySwapStore } from "../../../testkit/doubles/memory-swap-store.ts";
import { Random } from "../../../testkit/random.ts";
import { SwapLedger } from "./ledger.ts";
import type { MempoolLocks, PearlChange } from "./ports.ts";
import { seededTest, seeds } from "../../../testkit/seeds.ts";

interface EvmBlock {
  readonly height: number;
  readonly branch: string;
  readonly events: readonly EscrowEvent[];
}

interface PearlBlock {
  readonly height: number;
  readonly branch: string;
  readonly facts: readonly PearlBlockFact[];
}

const NAMES = ["a", "b", "c", "d", "e", "f"];
const SELLERS = ["x", "y"].map((name) => ({ seller: evmAddress(name), key: pointKey(`seller ${name}`) }));
const TERMS = new Map<Bytes32, Terms>(
  NAMES.map((name) => {
    // f copies the hashlock, key and times of e: both have the same lock script. Some belong to asks.
    const base = terms(name === "f" ? "e" : name);
    const askId = name < "c" ? bytes32(`ask ${name}`) : ZERO_BYTES32;
    return [bytes32(`order ${name}`), { ...base, buyer: evmAddress(`buyer ${name}`), askId }];
  }),
);
const LENGTH = 60;

/** Both chains as they are now, and everything that is never forgotten. */
class World {
  readonly random: Random;
  evm: EvmBlock[] = [];
  pearl: PearlBlock[] = [];
  readonly sightings: Sighting[] = [];
  readonly secrets: PearlChange["secrets"][number][] = [];
  mempool: MempoolLocks = { present: new Set(), spends: new Map() };
  finalHeight = -1;
  branches = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  /** A new branch of EVM blocks that replaces the newest `depth`. */
  growEvm(depth: number, count: number): { rewindTo: number | null; blocks: readonly EvmBlock[] } {
    const rewindTo = depth === 0 ? null : this.evm.length - 1 - depth;
    this.evm = this.evm.slice(0, this.evm.length - depth);
    this.branches += 1;
    const blocks: EvmBlock[] = [];
    for (let made = 0; made < count; made += 1) {
      const block = { height: this.evm.length, branch: `b${this.branches}`, events: this.#events() };
      this.evm.push(block);
      blocks.push(block);
    }
    return { rewindTo, blocks };
  }

  /** A new branch of PEARL blocks, paying these scripts. */
  growPearl(
    depth: number,
    count: number,
    scripts: readonly ScriptHex[],
  ): { rewindTo: number | null; blocks: PearlBlock[] } {
    const rewindTo = depth === 0 ? null : this.pearl.length - 1 - depth;
    this.pearl = this.pearl.slice(0, this.pearl.length - depth);
    this.branches += 1;
    const blocks: PearlBlock[] = [];
    for (let made = 0; made < count; made += 1) {
      const branch = `b${this.branches}`;
      const block: PearlBlock = { height: this.pearl.length, branch, facts: this.#facts(branch, scripts) };
      this.pearl.push(block);
      blocks.push(block);
    }
    return { rewindTo, blocks };
  }

  sight(scripts: readonly ScriptHex[]): Sighting | null {
    if (scripts.length === 0) return null;
    const inputs = [outpoint("coin", this.random.below(4)), outpoint("coin", 4 + this.random.below(4))];
    const made: Sighting = {
      txid: txid(`lock ${this.sightings.length}`),
      vout: this.random.below(3),
      amountSat: this.#pick([9_999n, 20_000n, 500_000_000_000n, 500_000_000_000n]),
      script: this.#pick(scripts),
      coinbase: false,
      inputs,
    };
    this.sightings.push(made);
    return made;
  }

  #pick<Value>(values: readonly Value[]): Value {
    const value = values[this.random.below(values.length)];
    assert.ok(value !== undefined);
    return value;
  }

  #events(): readonly EscrowEvent[] {
    const events: EscrowEvent[] = [];
    const block = this.evm.length;
    const branch = `b${this.branches}`;
    for (let count = this.random.below(4); count > 0; count -= 1) {
      const place = evmPlace(block, events.length, branch);
      const event = this.#event(place, [...this.evm.flatMap((one) => [...one.events]), ...events]);
      if (event !== null) events.push(event);
    }
    return events;
  }

  #event(place: EscrowEvent["place"], before: readonly EscrowEvent[]): EscrowEvent | null {
    const roll = this.random.below(10);
    if (roll === 0) {
      const { seller } = this.#pick(SELLERS);
      return { kind: "AsksRevoked", place, seller, nonceBelow: BigInt(before.length + 1) };
    }
    if (roll === 1) {
      return { kind: "FeeSet", place, feeBps: this.random.below(500), feeRecipient: evmAddress("fees") };
    }
    const orderHash = this.#pick([...TERMS.keys()]);
    const own = before.filter((event) => "orderHash" in event && event.orderHash === orderHash);
    const kinds = new Set(own.map(({ kind }) => kind));
    const order = TERMS.get(orderHash);
    assert.ok(order);
    const credit = own.find((event) => event.kind === "PayoutCredited");
    if (credit?.kind === "PayoutCredited" && roll < 5) {
      const { account, amount } = credit;
      return { kind: "CreditWithdrawn", place, account, to: evmAddress("elsewhere"), amount };
    }
    const isClosed = ["OrderClaimed", "OrderRefunded", "OrderCancelled"].some((kind) =>
      kinds.has(kind as never),
    );
    if (isClosed && credit === undefined && roll > 4) {
      const account = roll > 7 ? order.buyer : evmAddress("buyer a");
      return { kind: "PayoutCredited", place, orderHash, account, amount: order.usdcAmount };
    }
    if (!kinds.has("OrderLocked")) return { kind: "OrderLocked", place, orderHash, terms: order };
    if (isClosed) return null;
    if (!kinds.has("OrderAccepted")) {
      const { seller, key } = this.#pick(SELLERS);
      return roll === 2
        ? { kind: "OrderCancelled", place, orderHash }
        : { kind: "OrderAccepted", place, orderHash, seller, sellerPearlKey: key };
    }
    if (roll === 2) return { kind: "OrderRefunded", place, orderHash, amount: order.usdcAmount };
    if (roll > 4) return null;
    const { secret, hashlock } = secretOf(
      NAMES.find((name) => secretOf(name).hashlock === order.hashlock) ?? "",
    );
    const shower = { by: "claim", orderHash, txHash: place.txHash } as const;
    this.secrets.push({ hashlock, secret, shower });
    return { kind: "OrderClaimed", place, orderHash, secret, sellerNet: 1n, fee: 0n };
  }

  #facts(branch: string, scripts: readonly ScriptHex[]): readonly PearlBlockFact[] {
    const facts: PearlBlockFact[] = [];
    const height = this.pearl.length;
    for (let count = this.random.below(3); count > 0; count -= 1) {
      const place = pearlPlace(height, facts.length, branch);
      const before = [...this.pearl.flatMap((one) => [...one.facts]), ...facts];
      facts.push(...this.#fact(place, before, scripts));
    }
    return facts;
  }

  #fact(
    place: PearlBlockFact["place"],
    before: readonly PearlBlockFact[],
    scripts: readonly ScriptHex[],
  ): readonly PearlBlockFact[] {
    const mined = new Set(
      before.flatMap((fact) => (fact.kind === "output" ? [`${fact.txid}:${fact.vout}`] : [])),
    );
    const spent = new Set(before.flatMap((fact) => (fact.kind === "output" ? [] : [fact.outpoint])));
    for (const one of this.sightings)
      if (mined.has(`${one.txid}:${one.vout}`)) for (const input of one.inputs) spent.add(input);
    const roll = this.random.below(4);
    if (roll === 0) {
      const input = outpoint("coin", this.random.below(8));
      const isKnown = this.sightings.some(({ inputs }) => inputs.includes(input)) && !spent.has(input);
      return isKnown
        ? [{ kind: "inputSpend", place, outpoint: input, txid: txid(`rival ${place.blockHash}`) }]
        : [];
    }
    if (roll === 1) {
      const free = [...mined].filter((one) => !spent.has(one as Outpoint)) as Outpoint[];
      if (free.length === 0) return [];
      const spend = {
        kind: "spend",
        place,
        outpoint: this.#pick(free),
        txid: txid(`spend ${place.blockHash}`),
      } as const;
      return [{ ...spend, path: this.#pick(["claim", "refund"]), outputScripts: ["51" as ScriptHex] }];
    }
    const free = this.sightings.filter(
      (one) => !mined.has(`${one.txid}:${one.vout}`) && !one.inputs.some((input) => spent.has(input)),
    );
    const one = free.length > 0 && this.random.below(3) > 0 ? this.#pick(free) : this.sight(scripts);
    if (one === null || one.inputs.some((input) => spent.has(input))) return [];
    const { inputs, ...output } = one;
    const own = inputs.map(
      (input): PearlBlockFact => ({ kind: "inputSpend", place, outpoint: input, txid: one.txid }),
    );
    return [...own, { kind: "output", place, ...output }];
  }
}

/** The state as far as it is of the present chains. */
function stateOf(ledger: SwapLedger): string {
  const orders = [...TERMS.keys()].map((hash) => {
    const subject = ledger.subject(hash);
    if (subject === null) return null;
    const outputs = subject.outputs.toSorted((one, other) =>
      one.txid + one.vout < other.txid + other.vout ? -1 : 1,
    );
    const shownBy = subject.secret?.shownBy.map((one) => JSON.stringify(one)).toSorted();
    return { ...subject, outputs, secret: subject.secret === null ? null : { ...subject.secret, shownBy } };
  });
  const rest = {
    orders,
    all: [...ledger.orders()].toSorted(),
    tips: [ledger.tips().pearl, ledger.tips().evm.height],
    // What was final stays so above a tip that fell, which only the history knows.
    final: Math.min(ledger.tips().evm.finalHeight, ledger.tips().evm.height),
    fee: ledger.fee(),
    nonces: SELLERS.map(({ seller }) => ledger.minAskNonce(seller)),
    asks: NAMES.map((name) => ledger.orderOfAsk(bytes32(`ask ${name}`))),
  };
  return JSON.stringify(rest, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value), 1);
}

/** What is not a matter of the present chains: watched scripts, inputs, checkpoints. */
function memoryOf(ledger: SwapLedger, world: World): string {
  const scripts = world.sightings.map(({ script }) => ledger.watch.script(script));
  const uncovered = ledger.watch
    .uncovered()
    .map(({ script, fromTime }) => `${script.script} ${fromTime}`)
    .toSorted();
  const memory = [
    scripts,
    uncovered,
    ledger.checkpoints("evm"),
    ledger.checkpoints("pearl"),
    ledger.watch.size,
  ];
  return JSON.stringify(memory, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}

function open(store: MemorySwapStore): Promise<SwapLedger> {
  return SwapLedger.open({ ...ledgerParts(alarmLog()), store });
}

async function applyEvm(
  ledger: SwapLedger,
  world: World,
  rewindTo: number | null,
  blocks: readonly EvmBlock[],
): Promise<void> {
  const last = blocks.at(-1);
  assert.ok(last);
  const { blockHash: hash, time } = evmPlace(last.height, 0, last.branch);
  await ledger.applyEvm({
    rewindTo,
    events: blocks.flatMap(({ events }) => events),
    checkpoints: [{ chain: "evm", height: last.height, hash, time }],
    tip: { height: last.height, hash, time },
    finalHeight: world.finalHeight,
  });
}

async function applyPearl(
  ledger: SwapLedger,
  rewindTo: number | null,
  blocks: readonly PearlBlock[],
  sightings: readonly Sighting[],
): Promise<void> {
  const last = blocks.at(-1);
  assert.ok(last);
  const { blockHash, time } = pearlPlace(last.height, 0, last.branch);
  await ledger.applyPearl({
    rewindTo,
    facts: blocks.flatMap(({ facts }) => facts),
    sightings,
    secrets: [],
    checkpoints: [{ chain: "pearl", height: last.height, hash: blockHash, time }],
    tip: { height: last.height, hash: blockHash, time, medianTimePast: time - 1000 },
    covered: [],
  });
}

/** A ledger that only ever saw the chains as they are now. */
async function rebuilt(world: World): Promise<SwapLedger> {
  const ledger = await open(new MemorySwapStore());
  if (world.evm.length > 0) await applyEvm(ledger, world, null, world.evm);
  await ledger.applyMempool(world.mempool, world.sightings, world.secrets);
  if (world.pearl.length > 0) await applyPearl(ledger, null, world.pearl, []);
  return ledger;
}

/** One random step, sometimes tried in vain before. */
async function step(ledger: SwapLedger, store: MemorySwapStore, world: World): Promise<void> {
  const { random } = world;
  const scripts = [...new Set([...TERMS.keys()].flatMap((hash) => ledger.subject(hash)?.script ?? []))];
  const roll = random.below(10);
  const seen = world.sightings.length;
  let change: () => Promise<void>;
  if (roll < 5) {
    const depth = roll === 0 ? Math.min(random.below(20), world.evm.length) : 0;
    const { rewindTo, blocks } = world.growEvm(depth, 1 + random.below(3) + depth * random.below(2));
    world.finalHeight = Math.max(world.finalHeight, world.evm.length - 12);
    change = () => applyEvm(ledger, world, rewindTo, blocks);
  } else if (roll < 8) {
    const depth = roll === 5 ? Math.min(random.below(16), world.pearl.length) : 0;
    const { rewindTo, blocks } = world.growPearl(depth, 1 + random.below(2), scripts);
    change = () => applyPearl(ledger, rewindTo, blocks, world.sightings.slice(seen));
  } else {
    world.sight(scripts);
    const present = new Set(world.sightings.filter(() => random.below(2) === 0).map((one): Txid => one.txid));
    world.mempool = { present, spends: new Map() };
    change = () => ledger.applyMempool(world.mempool, world.sightings.slice(seen), []);
  }
  if (random.oneIn(5)) {
    const before = [stateOf(ledger), memoryOf(ledger, world)];
    store.failure = new Error("in vain");
    const error: unknown = await change().then(
      () => null,
      (reason: unknown) => reason,
    );
    store.failure = null;
    if (error === null) return; // There was nothing to store.
    assert.ok(error instanceof Error);
    assert.match(error.message, /in vain/);
    assert.deepEqual([stateOf(ledger), memoryOf(ledger, world)], before, "a failed commit leaves the state");
  }
  await change();
}

describe("histories of the swap ledger", () => {
  for (const seed of seeds([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])) {
    seededTest(
      `S-50: after any history, a restart, a rebuild and who follows give the same state (seed ${seed})`,
      seed,
      async () => {
        const store = new MemorySwapStore({ tellsChanges: true });
        const world = new World(seed);
        let ledger = await open(store);
        const follower = await open(new MemorySwapStore());
        for (let count = 0; count < LENGTH; count += 1) {
          await step(ledger, store, world);
          if (count % 6 !== 5) continue;
          const again = await open(store);
          await again.applyMempool(world.mempool, [], []);
          assert.equal(stateOf(again), stateOf(ledger), "a restart gives the same state");
          assert.equal(memoryOf(again, world), memoryOf(ledger, world), "and the same watch");
          assert.equal(stateOf(await rebuilt(world)), stateOf(ledger), "a rebuild gives the same state");
          for (const text of store.told.splice(0)) await follower.follow(text);
          assert.equal(stateOf(follower), stateOf(ledger), "who follows the changes comes to the same state");
          assert.equal(memoryOf(follower, world), memoryOf(ledger, world), "and the same watch");
          ledger = again;
        }
        assert.ok(world.sightings.length > 3 && [...ledger.orders()].length > 2, "something has happened");
      },
    );
  }
});
