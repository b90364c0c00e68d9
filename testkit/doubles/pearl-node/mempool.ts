// Keeps the transactions that wait for a block: admission in pearld's order of checks, replacement by fee, and the
// bookkeeping when blocks come and go.
import type { Block } from "./block-codec.ts";
import type { Chain } from "./chain.ts";
import type { Coin } from "./coins.ts";
import { feeOf } from "./connect.ts";
import { isFinal, sequenceLocksMet } from "./locks.ts";
import { alwaysFault, minimumFee, standardFault, type PolicyName } from "./policy.ts";
import type { MempoolEntry } from "./mempool-entry.ts";
import { replacementFault, signalsReplacement } from "./replacement.ts";
import { outpointKey, sanityFault, type NodeTx } from "./transaction.ts";
import { accept, refuse, type Verdict } from "./verdict.ts";

/** Told of every transaction that is newly accepted (not of those put back by a reorganisation). */
export type AcceptListener = (entry: MempoolEntry) => void;

/** The memory pool. */
export class Mempool {
  readonly #chain: Chain;
  readonly #policy: PolicyName;
  readonly #entries = new Map<string, MempoolEntry>();
  readonly #spenders = new Map<string, string>();
  readonly #listeners: AcceptListener[] = [];
  /** Transactions of disconnected blocks, in chain order, until the chain has settled; null where none was. */
  #orphaned: NodeTx[] | null = null;

  constructor(chain: Chain, policy: PolicyName) {
    this.#chain = chain;
    this.#policy = policy;
    chain.listen({
      connected: (_node, block) => this.#removeMined(block),
      disconnected: (_node, block) => {
        this.#orphaned = [...block.txs.slice(1), ...(this.#orphaned ?? [])];
      },
      settled: () => this.#readmit(),
    });
  }

  /** Number of waiting transactions. */
  get size(): number {
    return this.#entries.size;
  }

  /** All entries in the order of their arrival. */
  entries(): Iterable<MempoolEntry> {
    return this.#entries.values();
  }

  /** One entry by txid. */
  get(txid: string): MempoolEntry | undefined {
    return this.#entries.get(txid);
  }

  /** Txid of the waiting transaction that spends an outpoint. */
  spender(key: string): string | undefined {
    return this.#spenders.get(key);
  }

  /** Adds a listener. */
  onAccepted(listener: AcceptListener): void {
    this.#listeners.push(listener);
  }

  /** Checks a transaction and takes it in. `trusted` skips the scripts (the node's own file). */
  submit(tx: NodeTx, trusted = false): Verdict<MempoolEntry> {
    const checked = this.check(tx, trusted);
    if (!checked.ok) return checked;
    for (const txid of this.#conflicts(tx)) this.#removeWithDescendants(txid);
    this.#insert(checked.value);
    for (const listener of this.#listeners) listener(checked.value);
    return checked;
  }

  /** All checks of admission without changing anything. */
  check(tx: NodeTx, trusted = false): Verdict<MempoolEntry> {
    const early = this.#earlyFault(tx);
    if (early !== undefined) return early;
    const conflicts = this.#conflicts(tx);
    for (const key of tx.spends) {
      const other = this.#spenders.get(key);
      if (other !== undefined && !this.#signals(other)) {
        return refuse("policy", `output ${key} already spent by transaction ${other} in the memory pool`);
      }
    }
    const found = this.#inputs(tx);
    if (!found.ok) return found;
    const { coins, parents } = found.value;
    const context = this.#chain.lockContext();
    if (
      !sequenceLocksMet(
        tx.tx,
        coins.map((coin) => coin.height),
        context,
      )
    ) {
      return refuse("policy", "transaction's sequence locks on inputs not met");
    }
    const paid = feeOf(tx, coins, context.height);
    if (!paid.ok) return paid;
    const fee = paid.value;
    const needed = minimumFee(tx.vsize);
    if (fee < needed) {
      return refuse(
        "policy",
        `transaction ${tx.txid} has ${fee} fees which is under the required amount of ${needed}`,
      );
    }
    if (conflicts.size > 0) {
      const fault = replacementFault(tx, fee, conflicts, this.#entries, parents);
      if (fault !== undefined) return refuse("policy", fault);
    }
    const scripts = trusted ? undefined : this.#chain.scripts.fault(tx, coins);
    if (scripts !== undefined) return refuse("consensus", scripts);
    return accept({ tx, fee, time: this.#chain.now(), height: this.#chain.tip.height, coins, parents });
  }

  /** What can be said before the inputs are looked up. */
  #earlyFault(tx: NodeTx): ReturnType<typeof refuse> | undefined {
    const always = alwaysFault(tx);
    if (always !== undefined) return refuse("policy", always);
    if (this.#entries.has(tx.txid)) return refuse("policy", `already have transaction in mempool ${tx.txid}`);
    const sanity = sanityFault(tx);
    if (sanity !== undefined) return refuse("consensus", sanity);
    if (tx.tx.isCoinbase()) return refuse("policy", `transaction ${tx.txid} is an individual coinbase`);
    const tip = this.#chain.tip;
    if (!isFinal(tx.tx, tip.height + 1, tip.medianTime))
      return refuse("policy", "transaction is not finalized");
    const standard = this.#policy === "mainnet" ? standardFault(tx) : undefined;
    return standard === undefined ? undefined : refuse("policy", standard);
  }

  #inputs(tx: NodeTx): Verdict<{ coins: Coin[]; parents: Set<string> }> {
    for (const index of tx.tx.outs.keys()) {
      if (this.#chain.coins.get(outpointKey(tx.txid, index)) !== undefined) {
        return refuse("known", "transaction already exists in blockchain");
      }
    }
    const coins: Coin[] = [];
    const parents = new Set<string>();
    for (const key of tx.spends) {
      const confirmed = this.#chain.coins.get(key);
      if (confirmed !== undefined) {
        coins.push(confirmed);
        continue;
      }
      const [parentId = "", index = ""] = key.split(":");
      const parent = this.#entries.get(parentId);
      const out = parent?.tx.tx.outs[Number(index)];
      if (parent === undefined || out === undefined || out.script[0] === 0x6a) {
        const message = `orphan transaction ${tx.txid} references outputs of unknown or fully-spent transaction ${parentId}`;
        return refuse("orphan", message);
      }
      parents.add(parentId);
      // An unconfirmed output counts as mined in the next block.
      coins.push({
        value: out.value,
        script: out.script,
        height: this.#chain.tip.height + 1,
        coinbase: false,
      });
    }
    return accept({ coins, parents });
  }

  /** Waiting transactions that a newcomer would push out: those that spend the same outpoints, and what builds on them. */
  #conflicts(tx: NodeTx): Set<string> {
    const all = new Set<string>();
    const open = tx.spends.flatMap((key) => this.#spenders.get(key) ?? []);
    for (let txid = open.pop(); txid !== undefined; txid = open.pop()) {
      if (all.has(txid)) continue;
      all.add(txid);
      open.push(...this.children(txid));
    }
    return all;
  }

  /** Txids of waiting transactions that spend an output of this waiting one. */
  children(txid: string): string[] {
    const outs = this.#entries.get(txid)?.tx.tx.outs ?? [];
    return [...new Set(outs.flatMap((_out, index) => this.#spenders.get(outpointKey(txid, index)) ?? []))];
  }

  #signals(txid: string): boolean {
    return signalsReplacement(txid, this.#entries);
  }

  #insert(entry: MempoolEntry): void {
    this.#entries.set(entry.tx.txid, entry);
    for (const key of entry.tx.spends) this.#spenders.set(key, entry.tx.txid);
  }

  #remove(txid: string): void {
    const entry = this.#entries.get(txid);
    if (entry === undefined) return;
    this.#entries.delete(txid);
    for (const key of entry.tx.spends) this.#spenders.delete(key);
  }

  #removeWithDescendants(txid: string): void {
    for (const child of this.children(txid)) this.#removeWithDescendants(child);
    this.#remove(txid);
  }

  #removeMined(block: Block): void {
    for (const tx of block.txs.slice(1)) {
      this.#remove(tx.txid);
      for (const key of tx.spends) {
        const rival = this.#spenders.get(key);
        if (rival !== undefined) this.#removeWithDescendants(rival);
      }
    }
  }

  /**
   * After a reorganisation: everything waits again that is still valid, the transactions of lost blocks first. A lost
   * block without any matters, too: its coinbase is gone, others are younger again, and so is the chain's time.
   */
  #readmit(): void {
    if (this.#orphaned === null) return;
    const lost = this.#orphaned.map((tx) => ({ tx }));
    const waiting = Array.from(this.#entries.values(), ({ tx, time, height }) => ({ tx, time, height }));
    this.#orphaned = null;
    this.#entries.clear();
    this.#spenders.clear();
    for (const { tx, ...arrival } of [...lost, ...waiting]) {
      const checked = this.check(tx);
      if (checked.ok) this.#insert({ ...checked.value, ...arrival });
    }
  }
}
