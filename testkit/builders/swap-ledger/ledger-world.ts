// Random histories of both chains with deep reorganisations, for ledgers; nothing is asked of a ledger but which scripts
// there are to pay.

import assert from "node:assert/strict";
import type { Bytes32, Outpoint, ScriptHex, Txid } from "../../../src/primitives/brands.ts";
import type { EscrowEvent, PearlBlockFact, Sighting } from "../../../src/swap/facts.ts";
import { type Terms, ZERO_BYTES32 } from "../../../src/swap/terms.ts";
import type { SwapLedger } from "../../../src/swaps/ledger/ledger.ts";
import type { MempoolLocks, PearlChange } from "../../../src/swaps/ledger/ports.ts";
import type { StateReads } from "../../../src/swaps/ledger/state-reads.ts";
import { Random } from "../../random.ts";
import {
  ask,
  bytes32,
  evmAddress,
  evmPlace,
  outpoint,
  pearlPlace,
  pointKey,
  raised,
  secretOf,
  START,
  terms,
  txid,
} from "./ledger-facts.ts";

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

/** Names that orders and secrets are made of. */
const NAMES = ["a", "b", "c", "d", "e", "f"];
const SELLERS = ["x", "y"].map((name) => ({ seller: evmAddress(name), key: pointKey(`seller ${name}`) }));
/** The terms of the orders, by hash. */
export const TERMS = new Map<Bytes32, Terms>(termsOf(NAMES));

/** Terms of orders with these names, by hash. */
function termsOf(names: readonly string[]): readonly (readonly [Bytes32, Terms])[] {
  return names.map((name) => {
    // f copies the hashlock, key and times of e: both have the same lock script. Some belong to asks.
    const base = terms(name === "f" ? "e" : name);
    const askId = name < "c" ? bytes32(`ask ${name}`) : ZERO_BYTES32;
    return [bytes32(`order ${name}`), { ...base, buyer: evmAddress(`buyer ${name}`), askId }];
  });
}

/** Both chains as they are now, and everything that is never forgotten. */
export class World {
  readonly random: Random;
  evm: EvmBlock[] = [];
  pearl: PearlBlock[] = [];
  readonly sightings: Sighting[] = [];
  readonly secrets: PearlChange["secrets"][number][] = [];
  mempool: MempoolLocks = { present: new Set(), spends: new Map() };
  finalHeight = -1;
  branches = 0;
  readonly names: readonly string[];
  readonly terms: ReadonlyMap<Bytes32, Terms>;
  /** Coins that lock transactions need, in two halves: the fewer, the more of them are rivals. */
  readonly #coins: number;

  constructor(seed: number, { names = NAMES, coins = 4 } = {}) {
    this.random = new Random(seed);
    this.names = names;
    this.terms = new Map(termsOf(names));
    this.#coins = coins;
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
    const inputs = [
      outpoint("coin", this.random.below(this.#coins)),
      outpoint("coin", this.#coins + this.random.below(this.#coins)),
    ];
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
    const orderHash = this.#pick([...this.terms.keys()]);
    const own = before.filter((event) => "orderHash" in event && event.orderHash === orderHash);
    const kinds = new Set(own.map(({ kind }) => kind));
    const order = this.terms.get(orderHash);
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
      this.names.find((name) => secretOf(name).hashlock === order.hashlock) ?? "",
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
      const input = outpoint("coin", this.random.below(2 * this.#coins));
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
export function stateOf(ledger: StateReads, names: readonly string[] = NAMES): string {
  const orders = names
    .map((name) => bytes32(`order ${name}`))
    .map((hash) => {
      const subject = ledger.subject(hash);
      if (subject === null) return null;
      const outputs = [...subject.outputs].toSorted((one, other) =>
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
    asks: names.map((name) => ledger.orderOfAsk(bytes32(`ask ${name}`))),
  };
  return JSON.stringify(rest, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value), 1);
}

/** What is not a matter of the present chains: watched scripts, inputs, checkpoints. */
export function memoryOf(ledger: SwapLedger, world: World): string {
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

/** Applies blocks of the EVM chain. */
export async function applyEvm(
  ledger: SwapLedger,
  world: World,
  rewindTo: number | null,
  blocks: readonly EvmBlock[],
): Promise<void> {
  const last = blocks.at(-1);
  assert.ok(last);
  const { blockHash: hash, time } = evmPlace(last.height, 0, last.branch);
  await ledger.applyEvm({
    rewind: rewindTo === null ? null : { toHeight: rewindTo, alarm: null },
    events: blocks.flatMap(({ events }) => events),
    checkpoints: [{ chain: "evm", height: last.height, hash, time }],
    tip: { height: last.height, hash, time },
    judged: raised(world.finalHeight),
  });
}

/** Applies blocks of PEARL. */
export async function applyPearl(
  ledger: SwapLedger,
  rewindTo: number | null,
  blocks: readonly PearlBlock[],
  sightings: readonly Sighting[],
  covered: readonly ScriptHex[] = [],
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
    leftOut: [],
    reached: { kind: "scripts", scripts: covered, fromTime: 0, fromHeight: 0 },
  });
}

/** A step that several ledgers take. */
export interface Step {
  readonly take: (ledger: SwapLedger) => Promise<void>;
}

/** One random step, to be taken by several ledgers. `whole` keeps everything. */
export function nextStep(whole: SwapLedger, world: World): Step {
  const { random } = world;
  const scripts = [...new Set([...world.terms.keys()].flatMap((hash) => whole.subject(hash)?.script ?? []))];
  const roll = random.below(14);
  const seen = world.sightings.length;
  if (roll < 5) {
    const depth = roll === 0 ? Math.min(random.below(25), world.evm.length) : 0;
    const { rewindTo, blocks } = world.growEvm(depth, 1 + random.below(3) + depth * random.below(2));
    world.finalHeight = Math.max(world.finalHeight, world.evm.length - 4);
    return chainStep((ledger) => applyEvm(ledger, world, rewindTo, blocks));
  }
  if (roll < 9) {
    const depth = roll === 5 ? Math.min(random.below(25), world.pearl.length) : 0;
    const { rewindTo, blocks } = world.growPearl(depth, 1 + random.below(5), scripts);
    const sighted = world.sightings.slice(seen);
    return chainStep((ledger) => applyPearl(ledger, rewindTo, blocks, sighted, scripts));
  }
  if (roll < 11) {
    if (random.oneIn(3)) world.sight(scripts);
    const present = new Set(world.sightings.filter(() => random.oneIn(8)).map((one): Txid => one.txid));
    world.mempool = { present, spends: new Map() };
    const [mempool, sighted] = [world.mempool, world.sightings.slice(seen)];
    return { take: (ledger) => ledger.applyMempool(mempool, sighted, []) };
  }
  const name = random.pick(world.names);
  const orderHash = bytes32(`order ${name}`);
  if (roll === 11) {
    const origin = { orderHash, origin: `origin-${random.below(5)}`, ref: null };
    if (whole.subject(orderHash) === null) return chainStep(() => Promise.resolve());
    return chainStep((ledger) => ledger.write({ origins: [origin] }));
  }
  const record = { ...ask(name), askId: bytes32(`ask ${name}`), createdAt: START + random.below(100) };
  return chainStep((ledger) => ledger.write({ asks: [record] }));
}

function chainStep(take: Step["take"]): Step {
  return { take };
}
