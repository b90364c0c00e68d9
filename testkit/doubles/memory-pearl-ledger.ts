// Keeps a ledger as the PEARL side sees it, in the simplest way: facts in lists, rewound by height; no status, no
// events. It notes every change, so that tests can say what was told and when, and it survives its process.

import type { Bytes32, Outpoint, ScriptHex, Txid } from "../../src/primitives/brands.ts";
import type { ClosedQuestion } from "../../src/swaps/ledger/closed-port.ts";
import type {
  ChainCheckpoint,
  LedgerWrites,
  MempoolLocks,
  PearlChange,
  RecordWrites,
  SwapWatch,
  WatchedScript,
} from "../../src/swaps/ledger/ports.ts";
import type { ChainTips, PearlBlockFact, PreimageFact, Sighting } from "../../src/swap/facts.ts";

interface Known {
  readonly watched: WatchedScript;
  readonly fromTime: number;
  isCovered: boolean;
}

/** A ledger of the PEARL side in memory. */
export class MemoryPearlLedger implements LedgerWrites {
  readonly #scripts = new Map<ScriptHex, Known>();
  readonly sightings = new Map<Outpoint, Sighting>();
  readonly secrets = new Map<Bytes32, Bytes32>();
  facts: PearlBlockFact[] = [];
  mempool: MempoolLocks = { present: new Set(), spends: new Map() };
  readonly changes: PearlChange[] = [];
  mempoolChanges = 0;
  /** Heights from which on blocks are to be read again, by note. */
  readonly rereads = new Map<string, number>();
  #checkpoints: ChainCheckpoint[] = [];
  #tip: ChainTips["pearl"] = { height: -1, time: 0, medianTimePast: 0 };

  readonly watch: SwapWatch;

  constructor() {
    const scripts = this.#scripts;
    const { sightings } = this;
    this.watch = {
      script: (script) => scripts.get(script)?.watched ?? null,
      lockOutput: (outpoint) => {
        const dust = this.facts.find(
          (fact) => fact.kind === "output" && keyOf(fact) === `output ${outpoint}`,
        );
        const found = sightings.get(outpoint) ?? (dust?.kind === "output" ? dust : undefined);
        const script = found === undefined ? undefined : scripts.get(found.script)?.watched;
        return found === undefined || script === undefined
          ? null
          : { script, isDust: found.amountSat < 10_000n };
      },
      isSightedInput: (outpoint) => [...sightings.values()].some(({ inputs }) => inputs.includes(outpoint)),
      isHashlock: (hashlock) => [...scripts.values()].some(({ watched }) => watched.hashlock === hashlock),
      uncovered: () =>
        [...scripts.values()]
          .filter(({ isCovered }) => !isCovered)
          .map(({ watched, fromTime }) => ({ script: watched, fromTime })),
      rereads: () => new Map(this.rereads),
      get size() {
        return scripts.size;
      },
    };
  }

  /** Nothing ever closes here. */
  async withClosed<Value>(
    _: () => readonly ClosedQuestion[],
    look: (hasOpened: boolean) => Value,
  ): Promise<Value> {
    return look(false);
  }

  /** A script becomes known, as by an order of the EVM side. */
  know(watched: WatchedScript, fromTime: number): void {
    this.#scripts.set(watched.script, { watched, fromTime, isCovered: false });
  }

  /** Blocks from this height on are to be read again, as by a hint. */
  reread(height: number): void {
    const last = Math.max(0, ...[...this.rereads.keys()].map(Number));
    this.rereads.set(String(last + 1), height);
  }

  preimageOf(hashlock: Bytes32): PreimageFact | null {
    const secret = this.secrets.get(hashlock);
    return secret === undefined ? null : { hashlock, secret, shownBy: [] };
  }

  tips(): ChainTips {
    return { evm: { height: -1, time: 0, finalHeight: -1, need: null }, pearl: this.#tip };
  }

  checkpoints(chain: "evm" | "pearl"): readonly ChainCheckpoint[] {
    return chain === "evm" ? [] : this.#checkpoints;
  }

  async applyEvm(): Promise<void> {
    throw new Error("the PEARL side reads no EVM block");
  }

  async applyPearl(change: PearlChange): Promise<void> {
    this.changes.push(change);
    const { rewindTo, tip } = change;
    if (rewindTo !== null) {
      this.facts = this.facts.filter(({ place }) => place.height <= rewindTo);
      this.#checkpoints = this.#checkpoints.filter(({ height }) => height <= rewindTo);
      for (const [note, height] of this.rereads) this.rereads.set(note, Math.min(height, rewindTo + 1));
    }
    const next = tip?.height ?? this.#tip.height;
    for (const fact of change.facts) {
      if (fact.place.height > next) throw new Error("a fact above the tip");
      this.#add(fact);
    }
    this.#see(change.sightings, change.secrets);
    for (const checkpoint of change.checkpoints) {
      const others = this.#checkpoints.filter(({ height }) => height !== checkpoint.height);
      this.#checkpoints = [...others, checkpoint].toSorted((a, b) => b.height - a.height);
    }
    if (tip !== null) this.#tip = { height: tip.height, time: tip.time, medianTimePast: tip.medianTimePast };
    const { reached } = change;
    if (reached?.kind === "again") for (const note of reached.notes) this.rereads.delete(note);
    for (const script of reached?.kind === "scripts" ? reached.scripts : []) {
      const known = this.#scripts.get(script);
      if (known !== undefined) known.isCovered = true;
    }
  }

  async applyMempool(
    locks: MempoolLocks | ((before: MempoolLocks) => MempoolLocks),
    sightings: readonly Sighting[],
    secrets: PearlChange["secrets"],
    rereadFrom: number | null = null,
  ): Promise<void> {
    if (rereadFrom !== null) this.reread(rereadFrom);
    this.mempoolChanges += 1;
    this.mempool = typeof locks === "function" ? locks(this.mempool) : locks;
    this.#see(sightings, secrets);
  }

  async write({ rereadFrom }: Pick<RecordWrites, "rereadFrom">): Promise<void> {
    if (rereadFrom !== undefined) this.reread(rereadFrom);
  }

  #see(sightings: readonly Sighting[], secrets: PearlChange["secrets"]): void {
    for (const sighting of sightings) {
      const outpoint = `${sighting.txid}:${sighting.vout}` as Outpoint;
      this.sightings.set(outpoint, sighting);
    }
    for (const { hashlock, secret } of secrets) this.secrets.set(hashlock, secret);
  }

  #add(fact: PearlBlockFact): void {
    const key = keyOf(fact);
    this.facts = [...this.facts.filter((other) => keyOf(other) !== key), fact];
  }

  /** Another ledger in the same state. */
  clone(): MemoryPearlLedger {
    const other = new MemoryPearlLedger();
    for (const [script, known] of this.#scripts) other.#scripts.set(script, { ...known });
    for (const [outpoint, sighting] of this.sightings) other.sightings.set(outpoint, sighting);
    for (const [hashlock, secret] of this.secrets) other.secrets.set(hashlock, secret);
    for (const [note, height] of this.rereads) other.rereads.set(note, height);
    other.facts = [...this.facts];
    other.#checkpoints = [...this.#checkpoints];
    other.#tip = this.#tip;
    return other;
  }

  /** The process died: what is in memory of the mempool is gone. */
  restart(): void {
    this.mempool = { present: new Set(), spends: new Map() };
  }

  /** Facts in one line each, sorted: equal ledgers have equal lines. */
  lines(): readonly string[] {
    return this.facts
      .map((fact) => {
        const { height, txIndex } = fact.place;
        if (fact.kind === "output") {
          const coinbase = fact.coinbase ? " coinbase" : "";
          return `${height}.${txIndex} output ${fact.txid}:${fact.vout} ${fact.amountSat}${coinbase}`;
        }
        if (fact.kind === "spend")
          return `${height}.${txIndex} ${fact.path} ${fact.outpoint} by ${fact.txid}`;
        return `${height}.${txIndex} input ${fact.outpoint} by ${fact.txid}`;
      })
      .toSorted();
  }

  /** Whether all known scripts are covered. */
  get isCovered(): boolean {
    return this.watch.uncovered().length === 0;
  }

  /** Transactions with lock outputs in the mempool now. */
  present(): readonly Txid[] {
    return [...this.mempool.present].toSorted();
  }
}

function keyOf(fact: PearlBlockFact): string {
  if (fact.kind === "output") return `output ${fact.txid}:${fact.vout}`;
  return `${fact.kind} ${fact.outpoint} ${fact.txid}`;
}
