// One PEARL node out of several (S-09). The first configured node is followed: index, PEARL watch, mempool, look-ups
// and balances ask `FollowedNode` and do not know that there are others. The others are witnesses. Every node is asked
// for its tip and, when that has changed, for the hashes of its newest blocks, each in a loop of its own: a node that
// hangs delays nobody. A followed node that falls silent, that two others have left behind, or that gives nothing of use
// is replaced by the next one. No proof of work is verified here: a witness is a second opinion, nothing more.

import type { Condition } from "./conditions.ts";
import { sentenceOf } from "./follower-errors.ts";
import { AHEAD_BLOCKS, KnownNode, type NamedNode, type Witness } from "./known-node.ts";
import { Lasting } from "./lasting.ts";
import type { Clock, Log, NodeCounts, NodeTip, NodeUse, SwapNode } from "./ports.ts";

/** An answer counts for this long (S-09, S-62). */
const ANSWER_COUNTS_MS = 30_000;
/** Pause between two looks at one node. */
const LOOK_EVERY_MS = 2000;
/** For how long two others must be ahead of the followed node before the next is followed. */
const AHEAD_MS = 10 * 60_000;
/** For how long the index could use nothing that the followed node gives before the next is followed. */
const USELESS_MS = 10 * 60_000;
/** A node of another network is asked again this often: its operator may correct it. */
const FOREIGN_EVERY_MS = 60_000;
/** Forks of one block happen to honest nodes; a deeper one, or one that stands this long, is a disagreement. */
const FORK_BLOCKS = 1;
const FORK_MS = 10 * 60_000;
/** For how long no other node has shown the followed one's newest blocks when that is told. */
const ALONE_MS = 60_000;
/** A question to the followed node that ended because another is followed now; told like its failure to answer. */
class NodeReplaced extends Error {
  override readonly name = "NodeError";

  constructor() {
    super("another PEARL node is followed now; the question is asked there");
  }
}

/** The followed node as everybody else sees it, and what is known of all of them. */
export class FollowedNode implements SwapNode, NodeUse {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #standings: readonly KnownNode[];
  readonly #listeners: ((announced?: NodeTip) => void)[] = [];
  /** Nodes whose announcements are listened to: a listener cannot be taken back. */
  readonly #heard = new Set<KnownNode>();
  /** Ends the questions to the followed node that are under way. */
  readonly #asked = new Set<(error: Error) => void>();
  readonly #startedAtMs: number;
  /** The index can use nothing that the followed node gives. */
  readonly #useless: Lasting;
  /** No other node shows the newest blocks of the followed one, and one is wanted. */
  readonly #alone: Lasting;
  #isClosed = false;
  #current: KnownNode;

  /** `nodes`: the one that is followed first, then the witnesses in the order in which they take its place. */
  constructor(nodes: readonly [NamedNode, ...NamedNode[]], clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    const [first, ...others] = nodes;
    this.#current = new KnownNode(first, 0, clock);
    this.#standings = [this.#current, ...others.map((one, i) => new KnownNode(one, i + 1, clock))];
    this.#useless = new Lasting(clock);
    this.#alone = new Lasting(clock);
    this.#startedAtMs = clock.monotonicMs();
  }

  /** Place of the followed node among the configured ones, from 0. */
  get place(): number {
    return this.#current.place;
  }

  /** `nodes` of `/health`. */
  counts(): NodeCounts {
    const answering = this.#standings.filter((one) => this.#isFresh(one));
    const agreeing = answering.filter((one) => one === this.#current || one.forkDepth(this.#current) === 0);
    return {
      configured: this.#standings.length,
      answering: answering.length,
      agreeing: agreeing.length,
    };
  }

  /** What the other nodes show that answer; null where none is configured (S-09). */
  witnesses(): readonly Witness[] | null {
    if (this.#standings.length === 1) return null;
    return this.#others().flatMap((one) => (this.#isFresh(one) ? (one.view ?? []) : []));
  }

  /** What the followed node shows itself, by the last look at it; null before the first. */
  followed(): Witness | null {
    return this.#current.view;
  }

  /** What is wrong with the nodes among each other (H-20). */
  conditions(): readonly Condition[] {
    const apart = this.#others().filter((one) => this.#isApart(one));
    if (apart.length > 0) {
      const sentence =
        `The chain of PEARL node ${this.place + 1}, which is followed, is not that of node ${this.#placesOf(apart)} ` +
        "(in the order of the settings). Look which of them the network has before anybody reveals a secret.";
      return [{ code: "PEARL_NODES_DISAGREE", sentence }];
    }
    const leftBehind = this.#leftBehind();
    return this.#alone.hasLasted(ALONE_MS) ? [...leftBehind, this.#unwitnessed()] : leftBehind;
  }

  /** One other is not enough to be followed, and may be the one that is right: people have to look. */
  #leftBehind(): readonly Condition[] {
    const ahead = this.#ahead();
    if (ahead.length === 0) return [];
    const sentence =
      `PEARL node ${this.#placesOf(ahead)} (in the order of the settings) has been more than ${AHEAD_BLOCKS} blocks ahead of ` +
      `node ${this.place + 1}, which is followed, for 10 minutes. Look which blocks the network has: where the followed one ` +
      "stands still, all that is told here is old, and it stays followed until it is silent or two others are ahead of it.";
    return [{ code: "PEARL_NODES_DISAGREE", sentence }];
  }

  #placesOf(nodes: readonly KnownNode[]): string {
    return nodes.map((one) => one.place + 1).join(" and ");
  }

  #unwitnessed(): Condition {
    const { configured, answering } = this.counts();
    const sentence =
      `No other PEARL node shows the newest blocks of the one that is followed (${answering} of ${configured} answer), so that ` +
      "no new lock counts its confirmations and no buyer is told to claim. The log names the nodes that fail; one that " +
      "answers may have fallen behind.";
    return { code: "PEARL_UNWITNESSED", sentence };
  }

  useless(): void {
    this.#useless.set(true);
  }

  useful(): void {
    this.#useless.set(false);
  }

  /** Looks at all nodes again and again until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(
      this.#standings.map(async (one) => {
        while (!signal.aborted) {
          await this.#look(one);
          await this.#clock.sleep(one.isForeign ? FOREIGN_EVERY_MS : LOOK_EVERY_MS, signal);
        }
      }),
    );
  }

  /** Looks at the node of that place once, and decides whom to follow. Never rejects. */
  async look(place: number): Promise<void> {
    const one = this.#standings[place];
    if (one !== undefined) await this.#look(one);
  }

  async #look(one: KnownNode): Promise<void> {
    try {
      await one.look(this.#clock);
      if (one.trouble !== null) this.#log.info({ node: one.name }, "the PEARL node answers again");
      one.trouble = null;
    } catch (error) {
      // Closing ends the questions that are under way: that says nothing of the node.
      if (this.#isClosed) return;
      this.#failed(one, error);
    }
    this.#decide();
  }

  #failed(one: KnownNode, error: unknown): void {
    // What answers at its address next may be another node.
    one.isIdentified = false;
    one.isForeign = error instanceof Error && "code" in error && error.code === "WRONG_NETWORK";
    const sentence = sentenceOf(error);
    if (sentence !== one.trouble) {
      const what = one.isForeign ? "a PEARL node is left out" : "a PEARL node does not answer";
      this.#log.error({ node: one.name }, `${what}: ${sentence}`);
    }
    one.trouble = sentence;
  }

  #others(): readonly KnownNode[] {
    return this.#standings.filter((one) => one !== this.#current);
  }

  /** Who has been ahead of the followed node for so long that it counts (S-09). */
  #ahead(): readonly KnownNode[] {
    return this.#others().filter((one) => one.ahead.hasLasted(AHEAD_MS));
  }

  #isFresh({ answeredAtMs }: KnownNode): boolean {
    return answeredAtMs !== null && this.#clock.monotonicMs() - answeredAtMs <= ANSWER_COUNTS_MS;
  }

  /** Whether a lock in the newest blocks can count its confirmations (S-09), or nobody has asked for a second opinion. */
  get #isWitnessed(): boolean {
    const { tip } = this.#current;
    if (this.#standings.length === 1 || tip === null) return true;
    return this.#others().some((one) => {
      const depth = this.#isFresh(one) ? one.forkDepth(this.#current) : null;
      return depth !== null && depth <= FORK_BLOCKS && (one.tip?.height ?? -1) >= tip.height - AHEAD_BLOCKS;
    });
  }

  #isApart(one: KnownNode): boolean {
    const depth = this.#isFresh(one) ? one.forkDepth(this.#current) : null;
    if (depth === null || depth === 0) return false;
    return depth > FORK_BLOCKS || one.forked.hasLasted(FORK_MS);
  }

  /** Notes what lasts, and follows the next node where the present one is silent or left behind. */
  #decide(): void {
    const now = this.#clock.monotonicMs();
    const current = this.#current;
    for (const one of this.#others()) {
      one.forked.set(this.#isFresh(one) && (one.forkDepth(current) ?? 0) > 0);
      const ahead = (one.tip?.height ?? -1) - (current.tip?.height ?? Infinity);
      one.ahead.set(this.#isFresh(one) && ahead > AHEAD_BLOCKS);
    }
    this.#alone.set(!this.#isWitnessed);
    const isSilent = now - (current.answeredAtMs ?? this.#startedAtMs) > ANSWER_COUNTS_MS;
    const ahead = this.#ahead();
    const answers = (one: KnownNode): boolean => this.#isFresh(one);
    if (isSilent) {
      this.#follow(this.#next(answers), "has not answered for 30 s");
    } else if (ahead.length >= 2) {
      const isAhead = (one: KnownNode): boolean => ahead.includes(one);
      this.#follow(this.#next(isAhead), "has been left behind by two others for 10 min");
    } else if (this.#useless.hasLasted(USELESS_MS)) {
      this.#follow(this.#next(answers), "has given nothing for 10 min that the index can use");
    }
  }

  /** The first node after the followed one, in the configured order and from its start again. */
  #next(isFit: (one: KnownNode) => boolean): KnownNode | null {
    const after = [...this.#standings.slice(this.place + 1), ...this.#standings.slice(0, this.place)];
    return after.find(isFit) ?? null;
  }

  #follow(next: KnownNode | null, why: string): void {
    if (next === null) return;
    this.#log.error(
      { from: this.#current.name, to: next.name },
      `alarm: the followed PEARL node ${why}: the next one is followed`,
    );
    this.#current = next;
    this.#useless.set(false);
    for (const one of this.#standings) {
      one.forked.set(false);
      one.ahead.set(false);
    }
    const replaced = new NodeReplaced();
    for (const end of this.#asked) end(replaced);
    if (this.#listeners.length > 0) this.#hear(next);
    this.#tell();
  }

  #tell(announced?: NodeTip): void {
    for (const listener of this.#listeners) listener(announced);
  }

  #hear(one: KnownNode): void {
    if (this.#heard.has(one)) return;
    this.#heard.add(one);
    one.node.onTipChange((announced) => {
      if (one === this.#current) this.#tell(announced);
    });
  }

  /** The followed node's answer, or a failure as soon as another one is followed: it may never answer. */
  #through<Value>(ask: (node: SwapNode) => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#asked.add(reject);
      this.#current
        .ask(ask)
        .then(resolve, reject)
        .finally(() => this.#asked.delete(reject));
    });
  }

  /** Nothing is answered before that is known: no question of its own is needed. */
  checkIdentity = (): ReturnType<SwapNode["checkIdentity"]> => this.#through(() => Promise.resolve());
  tip = (): ReturnType<SwapNode["tip"]> => this.#through((node) => node.tip());
  blockHash: SwapNode["blockHash"] = (height) => this.#through((node) => node.blockHash(height));
  blockHashes: SwapNode["blockHashes"] = (from, count) =>
    this.#through((node) => node.blockHashes(from, count));
  rawBlock: SwapNode["rawBlock"] = (hash, mostBytes) =>
    this.#through((node) => node.rawBlock(hash, mostBytes));
  rawHeaders: SwapNode["rawHeaders"] = (hashes) => this.#through((node) => node.rawHeaders(hashes));
  connections: SwapNode["connections"] = () => this.#through((node) => node.connections());
  mempoolTxids: SwapNode["mempoolTxids"] = () => this.#through((node) => node.mempoolTxids());
  rawTransactions: SwapNode["rawTransactions"] = (txids) =>
    this.#through((node) => node.rawTransactions(txids));

  onTipChange(listener: (announced?: NodeTip) => void): void {
    this.#listeners.push(listener);
    this.#hear(this.#current);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#standings.map(({ node }) => node.close()));
  }
}
