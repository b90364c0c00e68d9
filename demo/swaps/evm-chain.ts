// The demo's EVM chain is an anvil whose blocks the demo alone makes, one for each beat, with the transactions that
// people have sent until then. All of it is written down first (see evm-journal.ts); what a reader's own wallet has sent
// to the node is seen in the block, and written down behind it.

import { type Hex, HttpRequestError, keccak256, TimeoutError } from "viem";
import { type Anvil, type AnvilAccount, AnvilSilent, startAnvil } from "../../testkit/doubles/anvil/node.ts";
import { EvmChainLost, EvmJournal, type JournalLine } from "./evm-journal.ts";

/** Blocks after which the whole chain is saved and a new journal begins: the most that a start has to make again. */
const SAVE_EVERY = 200;
/** What anybody offers for gas, wei: more than the base fee of blocks that are nearly empty can ask for. */
const MAX_FEE = 100_000_000_000n;
/** States that the dev node keeps for the way back: a reorganisation here replaces two blocks. */
const STATES_KEPT = 64;

/** The dev node is there and does not start; the message says what it said. */
export class AnvilUnusable extends Error {
  override readonly name = "AnvilUnusable";
}

/** Whether something failed because the dev node did not answer: it is gone, or stands still. */
export function isAnvilSilent(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if ([AnvilSilent, HttpRequestError, TimeoutError].some((kind) => at instanceof kind)) return true;
  return false;
}

/** A call of a contract, a creation (`to` absent), or a payment. */
export interface EvmCall {
  readonly to?: Hex;
  /** Wei. */
  readonly value?: bigint;
  readonly data: Hex;
}

/** The chain. */
export class EvmChain {
  readonly anvil: Anvil;
  /** Time of the genesis block: tells one chain from another. */
  readonly genesisTime: number;
  readonly #journal: EvmJournal;
  /** Raw transactions that wait for the next block, in the order in which they came. */
  #waiting: Hex[] = [];
  /** Blocks above the last saved state: deeper nothing can be taken back. */
  #sinceSaved = 0;
  #tip: { hash: string; time: number };

  private constructor(anvil: Anvil, journal: EvmJournal, genesisTime: number, tip: EvmChain["tip"]) {
    this.anvil = anvil;
    this.#journal = journal;
    this.genesisTime = genesisTime;
    this.#tip = tip;
  }

  /**
   * Starts the chain of the folder, or a new one whose genesis has the time given (unix seconds).
   * @throws EvmChainLost where the files of an older one do not give it back, AnvilUnusable where no node starts.
   */
  static async open(folder: string, genesisTime: number): Promise<EvmChain> {
    const { journal, isNew } = EvmJournal.open(folder);
    if (isNew) journal.save({ genesisTime, dump: null }, true);
    const { state, lines } = journal.read();
    const anvil = await startAnvil({
      genesisTime: state.genesisTime,
      noMining: true,
      // A saved state is one request, and hours of swaps are more than the two megabytes that are allowed by default.
      extra: ["--order", "fifo", "--prune-history", String(STATES_KEPT), "--no-request-size-limit"],
    }).catch((cause: unknown) => {
      throw new AnvilUnusable(cause instanceof Error ? cause.message : String(cause), { cause });
    });
    try {
      if (state.dump !== null) await load(anvil, state.dump);
      const chain = new EvmChain(anvil, journal, state.genesisTime, await tipOf(anvil));
      for (const [at, line] of lines.entries()) {
        // Two lines from the same tip tell of one block, the second one with everything that it holds.
        if (lines[at + 1]?.parent !== line.parent) await chain.#replay(line);
      }
      return chain;
    } catch (error) {
      await anvil.stop();
      journal.close();
      throw error;
    }
  }

  /** Hash and time of the newest block. */
  get tip(): { readonly hash: string; readonly time: number } {
    return this.#tip;
  }

  /**
   * Signs a call and sends it; it stands in the next block. Resolves with its id.
   * @throws Error with the node's words where it would revert.
   */
  async send(account: AnvilAccount, call: EvmCall): Promise<Hex> {
    const { publicClient } = this.anvil;
    const { address } = account;
    const gas = await publicClient.estimateGas({ account: address, ...call, blockTag: "pending" });
    const nonce = await publicClient.getTransactionCount({ address, blockTag: "pending" });
    const raw = await account.signTransaction({
      ...call,
      chainId: this.anvil.chain.id,
      nonce,
      gas: (gas * 11n) / 10n,
      maxFeePerGas: MAX_FEE,
      maxPriorityFeePerGas: 0n,
      type: "eip1559",
    });
    await this.anvil.rpc("eth_sendRawTransaction", [raw]);
    this.#waiting.push(raw);
    return keccak256(raw);
  }

  /** Makes the next block with everything that waits; its time is at least a second after the one before. */
  async mine(time: number): Promise<void> {
    const line = { parent: this.#tip.hash, time: Math.max(time, this.#tip.time + 1), raw: this.#waiting };
    this.#journal.append(line);
    this.#waiting = [];
    await this.#make(line.time);
    await this.#writeOthers(line);
    if (this.#sinceSaved >= SAVE_EVERY) await this.#save();
  }

  /** Whether so many blocks can be taken back. */
  canReplace(depth: number): boolean {
    return this.#sinceSaved > depth;
  }

  /**
   * Another branch takes the place of the last blocks and is longer by one. What they held is gone; the branch's
   * first block is not older than the old tip (S-03).
   */
  async reorganise(depth: number): Promise<void> {
    if (!this.canReplace(depth)) throw new RangeError(`${depth} blocks cannot be taken back`);
    const { time } = this.#tip;
    const line = { parent: this.#tip.hash, rollback: depth };
    this.#journal.append(line);
    await this.#rollBack(depth);
    for (let block = 0; block <= depth; block += 1) await this.mine(time + 1 + block);
  }

  /** Ends the node; what was written down stays. */
  async close(): Promise<void> {
    await this.anvil.stop();
    this.#journal.close();
  }

  async #make(time: number): Promise<void> {
    await this.anvil.setNextTime(time);
    await this.anvil.rpc("evm_mine");
    this.#sinceSaved += 1;
    this.#tip = await tipOf(this.anvil);
  }

  /** Writes the block down again where others have sent transactions, too: without them a start would not make it. */
  async #writeOthers(line: JournalLine & { readonly raw: readonly Hex[] }): Promise<void> {
    const { transactions } = await this.anvil.publicClient.getBlock({ blockTag: "latest" });
    const own = new Map(line.raw.map((raw) => [keccak256(raw), raw]));
    if (transactions.every((hash) => own.has(hash))) return;
    const all: string[] = [];
    for (const hash of transactions) {
      all.push(own.get(hash) ?? String(await this.anvil.rpc("eth_getRawTransactionByHash", [hash])));
    }
    this.#journal.append({ ...line, raw: all });
  }

  async #rollBack(depth: number): Promise<void> {
    // Senders see what became of it and send again; the pool must not do it for them behind the journal's back.
    await this.anvil.rpc("anvil_rollback", [depth]);
    await this.anvil.rpc("anvil_dropAllTransactions");
    this.#waiting = [];
    this.#sinceSaved -= depth;
    this.#tip = await tipOf(this.anvil);
  }

  async #replay(line: JournalLine): Promise<void> {
    if (line.parent !== this.#tip.hash) throw new EvmChainLost("its journal does not fit its saved state");
    if ("rollback" in line) return this.#rollBack(line.rollback);
    for (const raw of line.raw) await this.anvil.rpc("eth_sendRawTransaction", [raw]);
    await this.#make(line.time);
  }

  async #save(): Promise<void> {
    const dump = await this.anvil.rpc("anvil_dumpState");
    if (typeof dump !== "string") throw new Error("the dev node gave no state");
    this.#journal.save({ genesisTime: this.genesisTime, dump });
    this.#sinceSaved = 0;
  }
}

async function load(anvil: Anvil, dump: string): Promise<void> {
  try {
    if ((await anvil.rpc("anvil_loadState", [dump])) === true) return;
  } catch (cause) {
    if (isAnvilSilent(cause)) throw cause;
    throw new EvmChainLost("the dev node does not take its saved state", { cause });
  }
  throw new EvmChainLost("the dev node does not take its saved state");
}

async function tipOf(anvil: Anvil): Promise<{ hash: string; time: number }> {
  const { hash, timestamp } = await anvil.publicClient.getBlock({ blockTag: "latest" });
  return { hash, time: Number(timestamp) };
}
