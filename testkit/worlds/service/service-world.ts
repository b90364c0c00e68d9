// The world of the simulation: both chains with their nodes, the service with its lives, its clients, the people who swap,
// and the time. It does what the steps of a story say, judges after each of them, and at the end lets all lies stop and
// time pass until the service says what is true.

import { VirtualClock } from "../../doubles/clock.ts";
import { Consumer } from "./consumer.ts";
import { newDatabaseFile } from "./database-files.ts";
import { distort } from "./distortion.ts";
import type { FrontDoor } from "./front-door.ts";
import { IndexJudge } from "./index-judge.ts";
import { WRITE_ENDS } from "./mortal-writer.ts";
import { PearlSide } from "./pearl-side.ts";
import type { Ground } from "./service-life.ts";
import { PATIENCE, ServiceLives } from "./service-lives.ts";
import { type Mutation } from "./people/scenario.ts";
import { partyKey } from "./people/purse.ts";
import { PARTIES } from "./people/society.ts";
import type { Random } from "../../random.ts";
import { compareRebuild } from "./rebuild.ts";
import { settingsOf } from "./settings.ts";
import { DEEPEST, type Setting, type Step } from "./steps.ts";
import { SwapConsumer } from "./swap-consumer.ts";
import { SwapJudge } from "./swap-judge.ts";
import { SwapSide } from "./swap-side.ts";
import type { Twist } from "./twists.ts";
import { NODE_MANNERS, WorldNode } from "./world-node.ts";

/** Virtual time in which the service looks at both chains, when somebody comes to ask it. */
const LOOK_MS = 4500;
/** Longest time that the machine is suspended while people rely on it: a claim may be late by half an hour (S-03). */
const LONGEST_LEAP_MS = 900_000;
/** Looks after which a service that is told the truth has come to know it. */
const MOST_LOOKS = 60;
/** PEARL blocks and seconds after which nothing of a deal is expected to change any more (decision 0041). */
const CLOSING_BLOCKS = 165;
const DAY_S = 86_400;

/** The world. */
export class ServiceWorld {
  readonly clock = new VirtualClock();
  readonly pearl: PearlSide;
  readonly nodes: readonly WorldNode[];
  readonly lines: string[] = [];
  readonly #met = new Map<string, number>();
  readonly #ground: Ground;
  readonly #judge: IndexJudge;
  readonly swaps: SwapSide | null;
  readonly #swapJudge: SwapJudge | null;
  readonly #swapConsumer: SwapConsumer | null;
  readonly #lives: ServiceLives;
  #isFlooding = false;
  readonly #flooded = (): void => void (this.#isFlooding = true);
  #consumer: Consumer | null = null;

  /** `twist`: a mistake that the service is to be found out by; `mutation`: a rule of swaps that is broken. */
  constructor(
    { seed, nodes, swaps }: Setting,
    { twist = null, mutation = {} }: { readonly twist?: Twist | null; readonly mutation?: Mutation } = {},
  ) {
    const owners = swaps ? PARTIES.map((name) => partyKey(name).script) : [];
    this.pearl = new PearlSide(seed, () => Math.floor(this.clock.monotonicMs() / 1000), owners);
    this.nodes = Array.from({ length: nodes }, () => new WorldNode(this.pearl, this.clock, this.#flooded));
    this.#judge = new IndexJudge(this.pearl);
    distort(mutation.distort ?? null);
    this.swaps = swaps ? this.#peopleOf(seed, mutation) : null;
    this.#swapJudge = this.swaps === null ? null : new SwapJudge(this.swaps);
    const society = this.swaps?.society ?? null;
    this.#swapConsumer = society === null ? null : new SwapConsumer(() => society.evm.storage.orders.keys());
    this.#ground = {
      config: settingsOf(this.pearl, nodes, this.swaps?.society.scenario ?? null),
      file: newDatabaseFile(),
      clock: this.clock,
      nodes: this.nodes,
      lines: this.lines,
      twist,
      swaps: this.swaps,
      isBroken: Object.keys(mutation).length > 0,
      onWriteEnd: (end) => this.#note(`a write ${end}`),
      onRewind: (depth) => this.#note(depth === DEEPEST ? "a rewind to the limit" : "a rewind"),
    };
    this.#lives = new ServiceLives(this.#ground, {
      consumer: () => this.#consumer,
      isFlooding: () => this.#isFlooding,
      onStart: () => this.#judge.heads(this.nodes.map(({ head }) => head)),
      onDeath: () => this.#note("a death"),
    });
  }

  #peopleOf(seed: number, mutation: Mutation): SwapSide {
    const around = {
      clock: this.clock,
      pearl: this.pearl,
      pool: this.pearl.pool,
      look: () => this.#look(),
      ask: <Value>(question: (door: FrontDoor) => Promise<Value>) => this.#lives.ask(question),
      onBlock: () => this.#showHeads(),
      befall: (chance: Random) => this.#befall(chance),
    };
    return new SwapSide(seed, mutation, around, {
      calm: () => this.#calm(),
      onFlood: this.#flooded,
    });
  }

  /** What has come up, and how often. */
  get met(): ReadonlyMap<string, number> {
    const all = new Map(this.#met);
    const swaps = this.swaps;
    const parts = [
      this.#judge.met,
      this.#consumer?.met ?? [],
      ...this.nodes.map(({ told }) => told),
      this.#swapJudge?.met ?? [],
      this.#swapConsumer?.met ?? [],
      swaps?.society.happened ?? [],
      ...(swaps?.rpcs ?? []).map(({ told }) => told),
    ];
    for (const part of parts) for (const [what, count] of part) all.set(what, (all.get(what) ?? 0) + count);
    return all;
  }

  /** Does a step and judges what stands after it. @throws Error where something is not as it must be. */
  async step(step: Step): Promise<void> {
    if (!this.#lives.isRunning) await this.#lives.start();
    this.#note(step.do);
    await this.#do(step);
    await this.#lives.settle();
    await this.#lives.revive();
    await this.#lives.settle();
    await this.#judgeNow();
  }

  /** All lies stop; the service has to come to the truth. */
  async settle(): Promise<void> {
    if (!this.#lives.isRunning) await this.#lives.start();
    if (this.swaps !== null) await this.#finish();
    if (this.#ground.isBroken) return this.#swapJudge?.judgeLoss();
    this.swaps?.end();
    this.#calm();
    for (let turn = 0; turn < PATIENCE && !(await this.#isAtRest()); turn += 1) {
      await this.#lives.turn();
      await this.#lives.revive();
    }
    if (!(await this.#isAtRest())) throw new Error("the service does not come to rest");
    if (this.swaps !== null) await this.#settleSwaps();
    const consumer = this.#consumer;
    if (consumer !== null) await this.#tellAll(consumer);
    const { store } = this.#lives.now;
    await this.#judge.judgeAll(store, this.#front());
    if (this.swaps !== null) await this.#judgeSwapsAtLast(this.swaps);
    this.#note("came to rest");
  }

  /** A consumer comes to know everything that is told. */
  async #tellAll(consumer: Consumer): Promise<void> {
    await this.#listenTo(consumer);
    for (let turn = 0; turn < PATIENCE; turn += 1) {
      consumer.judge();
      const { highest } = await this.#lives.now.store.queries.eventBounds();
      const isWhole = consumer.at === null || consumer.at === this.pearl.tip.hash;
      if (isWhole && (consumer.lastId === null || consumer.lastId >= highest)) return;
      await this.#lives.turn();
      await this.#lives.revive();
      await this.#listenTo(consumer);
    }
    throw new Error("a consumer of events does not come to know the newest block");
  }

  /** Gives back what the world holds, whatever happened. */
  async close(): Promise<void> {
    distort(null);
    this.#isFlooding = false;
    this.#consumer?.go();
    await this.#lives.end();
  }

  async #do(step: Step): Promise<void> {
    switch (step.do) {
      case "mine":
        this.pearl.grow(step.blocks, step.deeds);
        return this.#showHeads();
      case "branch":
        return this.#branch(step);
      case "show":
        if (this.swaps?.mayTrouble() !== false) this.#node(step.node).show(step.head);
        return this.#showHeads();
      case "behave":
        if (this.swaps?.mayTrouble() !== false) this.#node(step.node).behave(step.manner, step.every);
        return;
      case "announce":
        return this.#node(step.node).announce();
      case "pass":
        return this.#pass(step.ms);
      case "leap":
        return this.#leap(step.ms);
      case "set clock":
        this.clock.skewMs += step.seconds * 1000;
        return;
      case "kill":
        return this.#lives.now.kill();
      case "restart":
        return this.#lives.restart();
      case "befall a write":
        return this.#lives.now.plan(step);
      case "read":
        for (let at = 0; at < step.count; at += 1) this.#judge.ask(this.#front(), step.list + at);
        return;
      case "listen":
        this.#consumer ??= new Consumer(this.pearl, this.#swapConsumer);
        return this.#listenTo(this.#consumer);
      case "stop listening":
        return this.#consumer?.go();
      case "live":
        return this.#live(step.minutes * 60_000);
      case "finish":
        return this.#finish();
      case "days":
        return this.#days(step.days);
      case "read swaps":
        for (let at = 0; at < step.count; at += 1) this.#swapJudge?.ask(this.#front(), step.list + at);
        return;
      default:
        return this.swaps?.do(step);
    }
  }

  async #listenTo(consumer: Consumer | null): Promise<void> {
    await consumer?.come(this.#front(), (hash) => this.#stands(hash));
  }

  /** Where people rely on the chain, branches are those that the rules allow for (S-03). */
  #branch({ depth, more, deeds }: Extract<Step, { do: "branch" }>): void {
    const mayWin = this.swaps === null || more === 0 || this.swaps.society.mayReorganise(depth);
    this.pearl.branch(depth, mayWin ? depth + more : depth, deeds);
    this.#showHeads();
  }

  async #leap(ms: number): Promise<void> {
    const isLate = this.swaps !== null && !this.swaps.mayTrouble();
    this.clock.leap(this.swaps === null ? ms : isLate ? 0 : Math.min(ms, LONGEST_LEAP_MS));
    await this.#pass(0);
  }

  /** People and miners do what they do; between that, the service sleeps as a machine that is busy elsewhere. */
  async #live(ms: number): Promise<void> {
    const society = this.swaps?.society;
    if (society === undefined) return;
    const until = this.clock.monotonicMs() + ms;
    while (society.nextAt <= until) {
      this.clock.leap(Math.max(0, society.nextAt - this.clock.monotonicMs()));
      await society.runNext();
    }
    this.clock.leap(Math.max(0, until - this.clock.monotonicMs()));
    await this.#look();
  }

  /** Until all deals are closed and nobody honest has anything left to do. */
  async #finish(): Promise<void> {
    const society = this.swaps?.society;
    if (society === undefined) return;
    while (!(await society.isQuiet()) && society.now < society.latestRefund + 6 * 3600)
      await this.#live(600_000);
  }

  /** Days pass, with the blocks that close what is over. Nobody acts meanwhile: what was begun comes to its end before. */
  async #days(days: number): Promise<void> {
    const society = this.swaps?.society;
    if (society === undefined) return;
    await this.#finish();
    this.swaps?.end();
    const pieces = 5;
    for (let piece = 0; piece < pieces; piece += 1) {
      this.clock.leap(((days * DAY_S) / pieces) * 1000);
      society.catchUp(CLOSING_BLOCKS / pieces);
      await this.#look();
      await this.#look();
    }
    await this.#live(1_200_000);
    const { bids } = this.#lives.swaps.ledger.closedCounts();
    if (Object.values(bids).some((count) => count > 0)) this.#note("deals left memory");
  }

  /** The service has some seconds for its chains. */
  async #look(): Promise<void> {
    await this.#lives.pass(this.clock.monotonicMs() + LOOK_MS);
  }

  /** Something befalls the service while people live. */
  #befall(chance: Random): void {
    const swaps = this.swaps;
    if (swaps === null) return;
    const kind = chance.between(0, 5);
    if (kind === 0) return this.#lives.current?.kill();
    if (kind <= 2)
      return this.#lives.current?.plan({
        end: chance.pick(WRITE_ENDS),
        order: chance.between(0, 3),
        statement: chance.between(0, 30),
      });
    if (!swaps.mayTrouble()) return;
    if (kind === 3) this.#node(chance.between(0, 2)).behave(chance.pick(NODE_MANNERS), chance.between(1, 3));
    else swaps.weaken(chance);
  }

  /** The PEARL nodes are well, and show the newest block. */
  #calm(): void {
    for (const node of this.nodes) {
      node.behave("well", 1);
      node.show("newest");
    }
    this.#showHeads();
  }

  /** The service comes to know both chains, with everything final that is. */
  async #settleSwaps(): Promise<void> {
    const society = this.swaps?.society;
    if (society === undefined) return;
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      // An EVM chain whose new branch ends below what was indexed is waited for, not gone back to (S-05).
      if (looks % 4 === 0) society.evm.mine(society.now);
      this.swaps?.look();
      await this.#look();
      if (looks >= 3 && this.#swapJudge?.isReady(this.#lives.swaps) === true) return;
    }
    throw new Error("swaps do not come to rest");
  }

  /** Nobody honest has lost, and an index that is built anew and forgets nothing shows the same rows. */
  async #judgeSwapsAtLast(swaps: SwapSide): Promise<void> {
    this.#swapJudge?.judgeLoss();
    const compared = await compareRebuild(swaps.society, this.#front(), this.#ground.config);
    this.#note("rebuilds compared");
    for (let same = 0; same < compared; same += 1) this.#note("rows rebuilt");
    const consumer = this.#swapConsumer;
    if (consumer !== null && this.#consumer?.isListening === true) await consumer.judge(this.#front());
  }

  #node(place: number): WorldNode {
    const node = this.nodes[place % this.nodes.length];
    if (node === undefined) throw new Error("a world has a node");
    return node;
  }

  #showHeads(): void {
    for (const node of this.nodes) node.look();
    this.swaps?.look();
    this.#judge.heads(this.nodes.map(({ head }) => head));
  }

  #front(): FrontDoor {
    return this.#lives.now.door;
  }

  /** Lets this much time pass, each sleeper waking in his turn; people do what is due. */
  async #pass(ms: number): Promise<void> {
    const until = this.clock.monotonicMs() + ms;
    const society = this.swaps?.society;
    const nextAt = (): number => society?.nextAt ?? Number.POSITIVE_INFINITY;
    while (nextAt() <= until) {
      await this.#lives.pass(Math.max(this.clock.monotonicMs(), nextAt()));
      await society?.runNext();
    }
    await this.#lives.pass(until);
  }

  async #isAtRest(): Promise<boolean> {
    await this.#lives.settle();
    const { store, index } = this.#lives.now;
    const tip = await store.tip();
    return tip?.hash === this.pearl.tip.hash && index.status().indexingStatus === "synced";
  }

  async #stands(hash: string): Promise<boolean> {
    const block = this.pearl.block(hash);
    return block !== null && (await this.#lives.now.store.blockHash(block.height)) === hash;
  }

  async #judgeNow(): Promise<void> {
    const { store, index } = this.#lives.now;
    await this.#judge.judge(store, this.#front(), index.status().indexedHeight);
    this.#consumer?.judge();
    if (index.swaps !== null && !this.#ground.isBroken)
      await this.#swapJudge?.judge(this.#front(), index.swaps);
    const bad = this.lines.find(
      (line) => isBad(line) && (this.swaps === null || !/process|order failed/.test(line)),
    );
    if (bad !== undefined) throw new Error(`a failure without a name: ${bad}`);
  }

  #note(what: string): void {
    this.#met.set(what, (this.#met.get(what) ?? 0) + 1);
  }
}

/** A failure without a name, or an alarm of swaps that nobody has caused. */
function isBad(line: string): boolean {
  return line.startsWith("error") && (line.includes('"stack"') || /alarm: a swap|S-51/.test(line));
}
