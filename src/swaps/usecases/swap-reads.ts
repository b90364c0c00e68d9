// The swap service as HTTP sees it, as far as it is read: rows, lists, what a wallet must know to sign (H-44), and whether
// a text holds a secret. Nothing here asks a chain or changes anything.

import type { Bytes32, EvmAddress, Outpoint, PearlAddress, Txid } from "../../primitives/brands.ts";
import { DOMAIN_NAME, DOMAIN_VERSION, TYPED_DATA } from "../../swap/eip712.ts";
import { parseEvmAddress, parsePearlAddress } from "../../swap/forms.ts";
import { EVM_REFUND_MAX_S } from "../../swap/judge-take.ts";
import { bidRow, dealRow, profileRow } from "../../swap/rows.ts";
import { swapStats } from "../../swap/stats.ts";
import { swapTransactions } from "../../swap/transactions.ts";
import { type ClosedQuestion, whatIsNamed, whetherKnown } from "../ledger/closed-port.ts";
import type { StateReads } from "../ledger/state-reads.ts";
import { TaprootKeyIndex } from "./taproot-key-index.ts";
import { SwapLists } from "./lists.ts";
import { OrderIndex } from "./order-index.ts";
import { refusal, refused, answer, type SwapOutcome } from "./outcome.ts";
import { rowOfAsk, type SwapDependencies, leastAskUsdc } from "./dependencies.ts";
import { SecretGuard } from "./secret-guard.ts";
import { ShownRuns } from "./shown-runs.ts";

/** Outputs at which a lock is looked for by its transaction alone. */
const LOCK_VOUTS = 100;
/** Keys that are remembered in any case. */
const KEYS_AT_LEAST = 10_000;
/** Of an ask, to whoever waits for its buyer: it is no fault, and no hash is wrong. */
const NOBODY_LOCKED =
  "Nobody has locked USDC for this ask yet, as far as blocks are indexed. Ask again later; `details.unfunded` counts " +
  "the takes that nobody has funded.";
/** What stats count as the last day. */
const DAY_S = 86_400;
/** So often the store is asked for it at most. */
const STATS_TRIES = 4;

/** What reads need of the parts. */
export type SwapReadDependencies = Pick<
  SwapDependencies,
  | "ledger"
  | "readiness"
  | "rules"
  | "limits"
  | "escrow"
  | "crypto"
  | "publicValues"
  | "hashWindows"
  | "asks"
  | "clock"
>;

/** The reads over one ledger, which is this process's own or follows that of another. */
export class SwapReads {
  readonly #deps: SwapReadDependencies;
  readonly #orders: OrderIndex;
  readonly #programs: TaprootKeyIndex;
  readonly lists: SwapLists;
  readonly #guard: SecretGuard;
  readonly #runs: ShownRuns;
  /** Keys that were left when some were forgotten. */
  #keptKeys = 0;

  constructor(deps: SwapReadDependencies) {
    const { ledger, readiness, rules } = deps;
    this.#deps = deps;
    this.#orders = new OrderIndex({
      subject: (hash) => ledger.subject(hash),
      context: () => readiness.context(),
      rules,
    });
    this.#programs = new TaprootKeyIndex(deps.crypto, deps.clock);
    this.lists = new SwapLists({ ...deps, orders: this.#orders, programs: this.#programs });
    this.#runs = new ShownRuns({
      crypto: deps.crypto,
      hrp: rules.hrp,
      isKnownKey: (key) => this.#programs.has(key),
    });
    this.#guard = new SecretGuard({
      ...deps,
      publicParts: (text) => this.#runs.partsIn(text),
      isShown: (value) => this.#isShown(value, ledger),
      isShownClosed: (value) => this.#isShownClosed(value),
    });
    this.#lookAgain(
      [...ledger.orders()],
      Array.from(ledger.asks(), ({ askId }) => askId),
    );
    ledger.onRows((orders, asks) => this.#lookAgain(orders, asks));
  }

  /** Rows that are new or may differ: where they stand in lists, and the keys that find them. */
  #lookAgain(orders: readonly Bytes32[], asks: readonly Bytes32[]): void {
    this.#orders.refresh(orders);
    for (const hash of orders) {
      const parties = this.#orders.order(hash)?.parties;
      if (parties === undefined) continue;
      this.#programs.add(parties.buyerPearlKey);
      this.#programs.add(parties.sellerPearlKey);
    }
    for (const askId of asks) {
      const ask = this.#deps.ledger.ask(askId);
      if (ask === null) continue;
      this.#programs.add(ask.terms.sellerPearlKey);
      this.#runs.add(ask.signature);
    }
    this.#runs.forget(() => this.#deps.ledger.asks());
    this.#forgetKeys();
  }

  /** Keys of deals that have left memory are found in the store. Done each time that their number has doubled. */
  #forgetKeys(): void {
    if (this.#programs.size < 2 * this.#keptKeys + KEYS_AT_LEAST) return;
    const [orders, asks] = [[...this.#orders.all()], [...this.#deps.ledger.asks()]];
    const keys = orders.flatMap(({ parties }) => [parties.buyerPearlKey, parties.sellerPearlKey]);
    this.#programs.keepOnly(new Set([...keys, ...asks.map(({ terms }) => terms.sellerPearlKey)]));
    this.#keptKeys = this.#programs.size;
  }

  holdsSecret(text: Uint8Array): false | Promise<boolean> {
    return this.#guard.holdsSecret(text);
  }

  /** The same of what has closed, for a value that memory does not know. */
  #isShownClosed(value: Bytes32): Promise<boolean> {
    const questions: readonly ClosedQuestion[] = [{ kind: "shown", pearl: [value] }, ...whetherKnown(value)];
    return this.#deps.ledger.reading(
      questions,
      (reads, { rows }) => (rows[0] ?? []).length > 0 || this.#isShown(value, reads),
    );
  }

  /**
   * Whether rows show these 32 bytes already, or a key that they showed: such a value is nobody's secret, whatever
   * hashlock was made of it. A body may ask this for each of its bytes, so no answer walks over rows.
   */
  #isShown(value: Bytes32, ledger: StateReads): boolean {
    return (
      this.#programs.has(value) ||
      ledger.ask(value) !== null ||
      ledger.subject(value) !== null ||
      ledger.knowsHashlock(value) ||
      ledger.knowsEvmTransaction(value) ||
      isLockTransaction(ledger, value)
    );
  }

  evmAddress(text: string): EvmAddress | null {
    const parsed = parseEvmAddress(text, this.#deps.crypto.keccak256);
    return parsed.ok ? parsed.value : null;
  }

  pearlAddress(text: string): PearlAddress | null {
    const parsed = parsePearlAddress(text, this.#deps.rules.hrp);
    return parsed.ok ? parsed.value : null;
  }

  knowsTransaction(txid: Txid | Bytes32): Promise<boolean> {
    return this.#deps.ledger.reading(whetherKnown(txid), (reads) =>
      txid.startsWith("0x")
        ? reads.knowsEvmTransaction(txid as Bytes32)
        : reads.knowsTransaction(txid as Txid),
    );
  }

  /** Reads an order, take or ask by its hash or id, whether it has closed or not. */
  async #reading<Value>(hash: Bytes32, evaluate: (reads: StateReads) => Value): Promise<Value> {
    const { ledger } = this.#deps;
    // What is in memory is there with all that belongs to it.
    const isHere = ledger.subject(hash) ?? ledger.ask(hash) ?? ledger.orderOfAsk(hash);
    if (isHere !== null) return evaluate(ledger);
    return this.#deps.ledger.reading(whatIsNamed(hash), evaluate);
  }

  transactionsOf(dealHash: Bytes32): Promise<SwapOutcome> {
    const { readiness, rules } = this.#deps;
    return this.#reading(dealHash, (reads) => {
      const subject = reads.subject(dealHash);
      if (subject === null) return refusal("DEAL_NOT_FOUND");
      const transactions = swapTransactions(subject, readiness.context(), rules, null);
      return answer({ deal_hash: dealHash, transactions });
    });
  }

  heights() {
    const { pearl, evm } = this.#deps.ledger.tips();
    return { pearl: pearl.height, evm: evm.height };
  }

  async stats() {
    const { asks, readiness, ledger } = this.#deps;
    for (let tries = 1; ; tries += 1) {
      const { time } = readiness.context().tips.evm;
      const stats = await ledger.reading([{ kind: "settled", after: time - DAY_S }], (_, { rows }) => {
        // The tip has moved while the store was asked: other orders are of its last day. One that moves each time, as in a
        // first sync before a slow store, is not waited for: then it is the last day before the question.
        if (readiness.context().tips.evm.time !== time && tries < STATS_TRIES) return null;
        return swapStats(this.#orders.all(), asks.counts(), time, {
          ...ledger.closedCounts(),
          lastDay: rows[0] ?? [],
        });
      });
      if (stats !== null) return stats;
    }
  }

  typedData(): SwapOutcome {
    return signingTerms(this.#deps);
  }

  ask(askId: Bytes32): Promise<SwapOutcome> {
    const { readiness } = this.#deps;
    return this.#reading(askId, (reads) => {
      const record = reads.ask(askId);
      return record === null
        ? refusal("ASK_NOT_FOUND")
        : answer(rowOfAsk(reads, record, readiness.context()));
    });
  }

  /** S-42: the bound deal alone; a stranger's take is never handed out as "the" deal. */
  askDeal(askId: Bytes32): Promise<SwapOutcome> {
    const { readiness } = this.#deps;
    return this.#reading(askId, (reads) => {
      const orderHash = reads.orderOfAsk(askId);
      if (orderHash !== null) return this.#deal(reads, orderHash);
      if (reads.ask(askId) === null) return refusal("ASK_NOT_FOUND");
      const unfunded = reads.liveTakes(askId, readiness.context().expiryNow);
      return refused("DEAL_NOT_FOUND", NOBODY_LOCKED, { unfunded });
    });
  }

  deal(dealHash: Bytes32): Promise<SwapOutcome> {
    return this.#reading(dealHash, (reads) => this.#deal(reads, dealHash));
  }

  swap(orderHash: Bytes32): Promise<SwapOutcome> {
    const { readiness, rules } = this.#deps;
    return this.#reading(orderHash, (reads) => {
      const deal = this.#dealRow(reads, orderHash);
      if (deal !== null) return answer({ kind: "deal", ...deal });
      const subject = reads.subject(orderHash);
      const bid = subject === null ? null : bidRow(subject, readiness.context(), rules);
      return bid === null ? refusal("ORDER_NOT_FOUND") : answer({ kind: "bid", ...bid });
    });
  }

  async ofAddress(address: EvmAddress | PearlAddress): Promise<SwapOutcome> {
    return answer(await this.lists.ofAddress(address));
  }

  #deal(reads: StateReads, dealHash: Bytes32): SwapOutcome {
    const row = this.#dealRow(reads, dealHash);
    return row === null ? refusal("DEAL_NOT_FOUND") : answer(row);
  }

  #dealRow(reads: StateReads, hash: Bytes32) {
    const { readiness, rules } = this.#deps;
    const subject = reads.subject(hash);
    return subject === null ? null : dealRow(subject, readiness.context(), rules);
  }
}

/** A node without a transaction index knows no mined transaction by its id; the ledger knows those of locks. */
function isLockTransaction(reads: StateReads, value: Bytes32): boolean {
  const txid = value.slice(2);
  for (let vout = 0; vout < LOCK_VOUTS; vout += 1) {
    if (reads.lockOutput(`${txid}:${vout}` as Outpoint) !== null) return true;
  }
  return false;
}

/** The object of H-44; a 503 before the contract was asked and its fee is indexed. */
function signingTerms({ ledger, rules, escrow: ask, limits }: SwapReadDependencies): SwapOutcome {
  const escrow = ask();
  if (escrow === null) return refusal("EVM_RPC_UNAVAILABLE");
  const fee = ledger.fee();
  if (fee === null) return refusal("INDEXER_NOT_SYNCED", { escrow_fee: "not indexed yet" });
  return answer({
    domain: {
      name: DOMAIN_NAME,
      version: DOMAIN_VERSION,
      chainId: rules.chainId,
      verifyingContract: rules.escrow,
    },
    types: TYPED_DATA,
    escrow: {
      address: rules.escrow,
      chain_id: rules.chainId,
      first_block: escrow.firstBlock,
      usdc: escrow.usdc,
      min_usdc_amount: escrow.minUsdc.toString(),
      fee_bps: fee.feeBps,
      fee_recipient: fee.feeRecipient,
      abi: escrow.abi,
    },
    limits: {
      margin_s: rules.deltaS,
      evm_refund_max_s: EVM_REFUND_MAX_S,
      min_usdc_amount: leastAskUsdc(limits, escrow).toString(),
      small_deal_usdc: rules.smallDealUsdc.toString(),
      profiles: [profileRow(rules.large), profileRow(rules.small)],
    },
  });
}
