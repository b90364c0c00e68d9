// The swap service as HTTP sees it: every use case, over the parts that `main` hands in.

import type { Bytes32, EvmAddress, Outpoint, PearlAddress } from "../../primitives/brands.ts";
import { DOMAIN_NAME, DOMAIN_VERSION, TYPED_DATA } from "../../swap/eip712.ts";
import { parseEvmAddress, parsePearlAddress } from "../../swap/forms.ts";
import { EVM_REFUND_MAX_S } from "../../swap/judge-take.ts";
import { bidRow, dealRow, profileRow } from "../../swap/rows.ts";
import { swapStats } from "../../swap/stats.ts";
import { acceptLock } from "./accept-lock.ts";
import { createAsk } from "./create-ask.ts";
import { KeyPrograms } from "./key-programs.ts";
import { SwapLists } from "./lists.ts";
import { OrderIndex } from "./order-index.ts";
import { refusal, answer, type SwapOutcome } from "./outcome.ts";
import { rowOfAsk, type SwapParts, leastAskUsdc } from "./parts.ts";
import { SecretGuard } from "./secret-guard.ts";
import { actOnAsk, setOrigin } from "./signed-actions.ts";
import type {
  AskActionName,
  AskListQuery,
  BidListQuery,
  RequestBody,
  SwapListQuery,
  SwapService,
} from "./swap-service.ts";
import { takeAsk } from "./take-ask.ts";
import { verifyEvmRefundOf, verifyLockOf, verifyRefundOf } from "./verifications.ts";

/** Outputs at which a lock is looked for by its transaction alone. */
const LOCK_VOUTS = 100;

/** What tells the API which rows changed. */
export interface RowChanges {
  /** Calls back with the orders and the asks whose rows may differ, after each visible change. */
  onRows(listener: (orders: readonly Bytes32[], asks: readonly Bytes32[]) => void): void;
}

/** All use cases over one ledger. */
export class SwapApi implements SwapService {
  readonly #parts: SwapParts;
  readonly #orders: OrderIndex;
  readonly #programs: KeyPrograms;
  readonly #lists: SwapLists;
  readonly #guard: SecretGuard;

  constructor(parts: SwapParts, changes: RowChanges) {
    const { ledger, readiness, rules } = parts;
    this.#parts = parts;
    this.#orders = new OrderIndex({
      subject: (hash) => ledger.subject(hash),
      moment: () => readiness.moment(),
      rules,
    });
    this.#programs = new KeyPrograms(parts.crypto, parts.clock);
    this.#lists = new SwapLists({ parts, orders: this.#orders, programs: this.#programs });
    this.#guard = new SecretGuard({ ...parts, isShown: (value) => this.#isShown(value) });
    this.#lookAgain(
      [...ledger.orders()],
      Array.from(ledger.asks(), ({ askId }) => askId),
    );
    changes.onRows((orders, asks) => this.#lookAgain(orders, asks));
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
      const ask = this.#parts.ledger.ask(askId);
      if (ask !== null) this.#programs.add(ask.terms.sellerPearlKey);
    }
  }

  holdsSecret(text: Uint8Array): false | Promise<boolean> {
    return this.#guard.holdsSecret(text);
  }

  /**
   * Whether rows show these 32 bytes already, or a key that they showed: such a value is nobody's secret, whatever
   * hashlock was made of it. A body may ask this for each of its bytes, so no answer walks over rows.
   */
  #isShown(value: Bytes32): boolean {
    const { ledger } = this.#parts;
    return (
      this.#programs.has(value) ||
      ledger.ask(value) !== null ||
      ledger.subject(value) !== null ||
      ledger.knowsHashlock(value) ||
      this.#isLockTransaction(value)
    );
  }

  /** A node without a transaction index knows no mined transaction by its id; the ledger knows those of locks. */
  #isLockTransaction(value: Bytes32): boolean {
    const txid = value.slice(2);
    for (let vout = 0; vout < LOCK_VOUTS; vout += 1) {
      if (this.#parts.ledger.lockOutput(`${txid}:${vout}` as Outpoint) !== null) return true;
    }
    return false;
  }

  evmAddress(text: string): EvmAddress | null {
    const parsed = parseEvmAddress(text, this.#parts.crypto.keccak256);
    return parsed.ok ? parsed.value : null;
  }

  pearlAddress(text: string): PearlAddress | null {
    const parsed = parsePearlAddress(text, this.#parts.rules.hrp);
    return parsed.ok ? parsed.value : null;
  }

  preparePearlFilter(): Promise<void> {
    return this.#programs.prepare();
  }

  heights() {
    const { pearl, evm } = this.#parts.ledger.tips();
    return { pearl: pearl.height, evm: evm.height };
  }

  evmStatus() {
    return this.#parts.evmStatus();
  }

  stats() {
    const { asks, readiness } = this.#parts;
    const moment = readiness.moment();
    return swapStats(this.#orders.all(), asks.counts(), moment.tips.evm.time);
  }

  typedData(): SwapOutcome {
    return signingTerms(this.#parts);
  }

  bids(query: BidListQuery) {
    return this.#lists.bids(query);
  }

  asks(query: AskListQuery) {
    return this.#lists.asks(query);
  }

  deals(query: SwapListQuery) {
    return this.#lists.deals(query);
  }

  ask(askId: Bytes32): SwapOutcome {
    const { ledger, readiness } = this.#parts;
    const record = ledger.ask(askId);
    return record === null ? refusal("ASK_NOT_FOUND") : answer(rowOfAsk(ledger, record, readiness.moment()));
  }

  /** S-42: the bound deal alone; a stranger's take is never handed out as "the" deal. */
  askDeal(askId: Bytes32): SwapOutcome {
    const { ledger, readiness } = this.#parts;
    const orderHash = ledger.orderOfAsk(askId);
    if (orderHash !== null) return this.deal(orderHash);
    if (ledger.ask(askId) === null) return refusal("ASK_NOT_FOUND");
    return refusal("DEAL_NOT_FOUND", { unfunded: ledger.liveTakes(askId, readiness.now()) });
  }

  deal(dealHash: Bytes32): SwapOutcome {
    const row = this.#dealRow(dealHash);
    return row === null ? refusal("DEAL_NOT_FOUND") : answer(row);
  }

  swap(orderHash: Bytes32): SwapOutcome {
    const deal = this.#dealRow(orderHash);
    if (deal !== null) return answer({ kind: "deal", ...deal });
    const { ledger, readiness, rules } = this.#parts;
    const subject = ledger.subject(orderHash);
    const bid = subject === null ? null : bidRow(subject, readiness.moment(), rules);
    return bid === null ? refusal("ORDER_NOT_FOUND") : answer({ kind: "bid", ...bid });
  }

  ofAddress(address: EvmAddress | PearlAddress): SwapOutcome {
    return answer(this.#lists.ofAddress(address));
  }

  createAsk(body: RequestBody): Promise<SwapOutcome> {
    return createAsk(this.#parts, body);
  }

  takeAsk(askId: Bytes32, body: RequestBody): Promise<SwapOutcome> {
    return takeAsk(this.#parts, askId, body);
  }

  actOnAsk(askId: Bytes32, action: AskActionName, body: RequestBody): Promise<SwapOutcome> {
    return actOnAsk(this.#parts, askId, action, body);
  }

  setOrigin(orderHash: Bytes32, body: RequestBody): Promise<SwapOutcome> {
    return setOrigin(this.#parts, orderHash, body);
  }

  acceptLock(dealHash: Bytes32, body: RequestBody, client: string): Promise<SwapOutcome> {
    return acceptLock(this.#parts, dealHash, body, client);
  }

  verifyLock(dealHash: Bytes32, body: RequestBody, client: string): Promise<SwapOutcome> {
    return verifyLockOf(this.#parts, dealHash, body, client);
  }

  verifyRefund(dealHash: Bytes32, body: RequestBody, client: string): Promise<SwapOutcome> {
    return verifyRefundOf(this.#parts, dealHash, body, client);
  }

  verifyEvmRefund(dealHash: Bytes32): Promise<SwapOutcome> {
    return verifyEvmRefundOf(this.#parts, dealHash);
  }

  #dealRow(hash: Bytes32) {
    const { ledger, readiness, rules } = this.#parts;
    const subject = ledger.subject(hash);
    return subject === null ? null : dealRow(subject, readiness.moment(), rules);
  }
}

/** The object of H-44; a 503 before the contract was asked and its fee is indexed. */
function signingTerms({ ledger, rules, escrow: ask, limits }: SwapParts): SwapOutcome {
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
