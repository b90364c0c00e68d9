// Joins the parts of the node without its servers: chain, mempool, miner and file. Every change goes through here, is
// written down, and is announced by the chain and the mempool.
import { fromHex, toDisplay, toHex } from "../../bytes.ts";
import { Chain, type Placement } from "./chain.ts";
import { Mempool } from "./mempool.ts";
import type { MempoolEntry } from "./mempool-entry.ts";
import { assembleBlock, type BlockPlan } from "./mining.ts";
import type { Network } from "./network.ts";
import type { PolicyName } from "./policy.ts";
import { ChainLog, type LogRecord } from "./storage.ts";
import { parseTransaction } from "./transaction.ts";
import { refuse, type Verdict } from "./verdict.ts";

/** What a core is made of. `folder` absent: memory only. */
export interface CoreOptions {
  readonly network: Network;
  readonly clock: () => number;
  readonly miningScript: Uint8Array;
  readonly policy: PolicyName;
  readonly folder: string | undefined;
  /** Transactions made out of nothing: their inputs are nobody's coins, and neither they nor their scripts are judged. */
  readonly isInvented?: (txid: string) => boolean;
}

/** Chain, mempool and miner over one file. */
export class PearlCore {
  readonly network: Network;
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly miningScript: Uint8Array;
  readonly startedAt: number;
  readonly #log: ChainLog | null;

  constructor(options: CoreOptions) {
    this.network = options.network;
    this.chain = new Chain(options.network, options.clock, options.isInvented);
    this.mempool = new Mempool(this.chain, options.policy);
    this.miningScript = options.miningScript;
    this.startedAt = this.chain.now();
    if (options.folder === undefined) {
      this.#log = null;
    } else {
      const { log, records } = ChainLog.open(options.folder);
      for (const record of records) this.#replay(record);
      this.#log = log;
    }
  }

  #replay(record: LogRecord): void {
    if (record.kind === "block") {
      // A block that failed when it first came in fails again in the same way: that is no error of the file.
      this.chain.accept(record.payload, true);
    } else if (record.kind === "transaction") {
      const parsed = parseTransaction(record.payload);
      if (parsed.ok) this.mempool.submit(parsed.value, true);
    } else if (record.kind === "invalidate") {
      this.chain.invalidate(toDisplay(record.payload));
    } else {
      this.chain.reconsider(toDisplay(record.payload));
    }
  }

  /** Offers a transaction (hex) to the mempool. */
  submitTransaction(hex: string): Verdict<MempoolEntry> {
    const bytes = fromHex(hex);
    if (bytes === null) return refuse("decode", "not hexadecimal");
    const parsed = parseTransaction(bytes);
    if (!parsed.ok) return parsed;
    const taken = this.mempool.submit(parsed.value);
    if (taken.ok) this.#log?.append("transaction", bytes);
    return taken;
  }

  /** Offers a block. */
  submitBlock(raw: Uint8Array): Verdict<Placement> {
    const taken = this.chain.accept(raw);
    if (!taken.ok) return taken;
    this.#log?.append("block", raw);
    return { ok: true, value: taken.value.placement };
  }

  /** Offers a block in hex; null: taken, otherwise the reason. */
  submitBlockHex(hex: string): string | null {
    const bytes = fromHex(hex);
    if (bytes === null) return "not hexadecimal";
    const taken = this.submitBlock(bytes);
    return taken.ok ? null : taken.reject.message;
  }

  /** Mines `count` blocks as planned and returns their hashes. Throws when the plan makes an invalid block. */
  generate(count: number, plan: BlockPlan = {}): string[] {
    const hashes: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const raw = assembleBlock(this.chain, this.mempool, this.miningScript, plan);
      const taken = this.chain.accept(raw);
      if (!taken.ok) throw new Error(`the mined block is invalid: ${taken.reject.message}`);
      this.#log?.append("block", raw);
      hashes.push(taken.value.node.hash);
    }
    return hashes;
  }

  /** Bytes of a block as planned, not submitted. */
  assemble(plan: BlockPlan = {}): string {
    return toHex(assembleBlock(this.chain, this.mempool, this.miningScript, plan));
  }

  /** invalidateblock. False: unknown block or genesis. */
  invalidate(hash: string): boolean {
    return this.#mark("invalidate", hash, this.chain.invalidate(hash));
  }

  /** reconsiderblock. False: unknown block. */
  reconsider(hash: string): boolean {
    return this.#mark("reconsider", hash, this.chain.reconsider(hash));
  }

  #mark(kind: "invalidate" | "reconsider", hash: string, done: boolean): boolean {
    const bytes = fromHex(hash);
    if (done && bytes !== null) this.#log?.append(kind, bytes.toReversed());
    return done;
  }

  /** Closes the file. */
  close(): void {
    this.#log?.close();
  }
}
