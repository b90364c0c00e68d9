// An honest seller does what the rows of all orders offer it (S-54): what is not optional always, the rest when it
// feels like it; nothing else. It keeps every lock transaction that it signs, and makes later ones conflict with it.

import type { Bytes32, EvmAddress } from "../../../../src/primitives/brands.ts";
import type { NextAction } from "../../../../src/swap/next-actions.ts";
import type { OwnedCoin, SignedTx } from "../../../../src/wallet/index.ts";
import {
  partyAddress,
  FEE_RATE,
  bytes32Of,
  partyKey,
  lockFor,
  Purse,
  type SentLock,
  vaultOf,
} from "./purse.ts";
import { PEARL_AMOUNT } from "./scenario.ts";
import type { SwapRow } from "./society.ts";
import type { Society } from "./society.ts";
import type { Terms } from "../../../../src/swap/terms.ts";

interface Sent {
  signed: SignedTx;
  rate: bigint;
  sentAt: number;
}

/** An honest seller. */
export class HonestSeller {
  readonly evm: EvmAddress = partyAddress("seller");
  readonly purse = new Purse(partyKey("seller"));
  /** Every lock signed, by order. */
  readonly locks = new Map<Bytes32, SentLock[]>();
  readonly #world: Society;
  readonly #moods = new Map<string, boolean>();
  readonly #refunds = new Map<string, Sent>();
  readonly #returns = new Map<Bytes32, Sent>();
  readonly #planned = new Set<string>();

  constructor(world: Society) {
    this.#world = world;
  }

  /** Begins. */
  start(): void {
    const world = this.#world;
    const { entry, usdcAmount } = world.scenario;
    if (entry === "ask") {
      world.later(world.chance.between(30, 300), () => world.offer("seller", usdcAmount));
    }
    world.later(world.chance.between(100, 1200), () => this.#wake());
  }

  async #wake(): Promise<void> {
    const world = this.#world;
    await world.look();
    for (const hash of world.evm.storage.orders.keys()) {
      if (world.isLongOver(hash)) continue;
      const row = await world.row(hash);
      if (row !== null) this.#follow(hash, row);
    }
    world.later(world.chance.between(60, 420), () => this.#wake());
  }

  #follow(hash: Bytes32, row: SwapRow): void {
    for (const action of row.next_actions) {
      const isMine = action.role === "anyone" ? row.seller_evm === this.evm : action.role === "seller";
      if (!isMine || (action.actor !== null && action.actor !== this.evm) || !this.#isOpen(action)) continue;
      if (action.optional && !this.#wants(hash, action.action)) continue;
      this.#act(hash, row, action);
    }
  }

  #isOpen({ not_before, not_after }: NextAction): boolean {
    const { now } = this.#world;
    return (not_before === null || now >= not_before) && (not_after === null || now <= not_after);
  }

  #wants(hash: Bytes32, action: string): boolean {
    const { chance, scenario } = this.#world;
    const odds: Record<string, number> = { accept_bid: 0.9, lock_pearl: 0.85, refund_cooperative: 0.6 };
    const key = `${hash}/${action}`;
    const known = this.#moods.get(key);
    if (known !== undefined) return known;
    // With another honest party two sellers' orders are few: refusing is drawn more often, so that every end is met.
    const drawn = chance.is((odds[action] ?? 0.5) * (scenario.honest === "both" ? 0.9 : 1));
    this.#moods.set(key, drawn);
    return drawn;
  }

  #act(hash: Bytes32, row: SwapRow, action: NextAction): void {
    const world = this.#world;
    const { evm } = world;
    switch (action.action) {
      case "claim_usdc":
        if (row.secret_hex !== null)
          evm.submit(this.evm, { fn: "claim", orderHash: hash, secret: row.secret_hex as Bytes32 });
        return;
      case "withdraw_credit":
        world.note("credit withdrawn");
        return evm.submit(this.evm, { fn: "withdrawCredit", to: vaultOf("seller") });
      case "accept_bid":
        return evm.submit(this.evm, {
          fn: "accept",
          orderHash: hash,
          key: bytes32Of(this.purse.key.outputKey),
        });
      case "lock_pearl":
        return this.#planLock(hash, action);
      case "refund_pearl":
        return this.#refund(row, action);
      case "abandon_lock":
        return this.#abandon(hash, action);
      case "refund_cooperative":
        if (this.#canNoLockCome(hash)) evm.submit(this.evm, { fn: "refundCooperative", orderHash: hash });
        return;
      default:
        return;
    }
  }

  /** The lock goes out some seconds after it was offered. */
  #planLock(hash: Bytes32, offered: NextAction): void {
    const world = this.#world;
    if (this.#planned.has(hash)) return;
    this.#planned.add(hash);
    world.later(world.chance.between(1, 45), async () => {
      this.#planned.delete(hash);
      if (this.#isOpen(offered)) await this.#lock(hash);
    });
  }

  async #lock(hash: Bytes32): Promise<void> {
    const world = this.#world;
    const row = await world.row(hash);
    const lock = row === null ? null : lockFor(termsOf(row), bytes32Of(this.purse.key.outputKey));
    if (lock === null) return;
    const before = this.locks.get(hash) ?? [];
    const newest = before.at(-1);
    // A lock that was given up is not sent any more: its coins are on their way back.
    if (this.#returns.has(hash)) return;
    if (newest === undefined && this.purse.isEmpty) return;
    const isRaised = newest !== undefined && world.chance.is(0.4);
    if (newest !== undefined && !isRaised) {
      world.note("lock sent again");
      world.pearl.submit(newest.signed.hex);
      return;
    }
    const coins: readonly OwnedCoin[] = newest?.spends ?? [this.purse.take()];
    const sent = this.purse.lock(lock, PEARL_AMOUNT, coins, FEE_RATE * BigInt(2 ** before.length));
    this.locks.set(hash, [...before, sent]);
    world.note(newest === undefined ? "lock sent" : "lock replaced");
    world.pearl.submit(sent.signed.hex);
  }

  #refund(row: SwapRow, { outpoint, amount_sat }: NextAction): void {
    const world = this.#world;
    const lock = lockFor(termsOf(row), bytes32Of(this.purse.key.outputKey));
    if (lock === null || outpoint === null || amount_sat === null || BigInt(amount_sat) < 2000n) return;
    if (world.pearl.medianTime <= row.pearl_refund_time) return;
    const known = this.#refunds.get(outpoint);
    if (known !== undefined && world.pearl.minedAt(known.signed.txid) !== null) return;
    const isWaiting = known !== undefined && world.now - known.sentAt < 900;
    if (known !== undefined && isWaiting) {
      world.pearl.submit(known.signed.hex);
      return;
    }
    const rate = known === undefined ? FEE_RATE : known.rate * 2n;
    const [txid = "", vout = "0"] = outpoint.split(":");
    const coin = { txid, vout: Number(vout), amount: BigInt(amount_sat), script: lock.script };
    const signed = this.purse.refund(lock, coin, rate);
    this.#refunds.set(outpoint, { signed, rate, sentAt: world.now });
    world.note("refund sent");
    world.pearl.submit(signed.hex);
  }

  /** Spends what its own pending lock needs; other people's locks are not its to abandon. */
  #abandon(hash: Bytes32, { outpoint }: NextAction): void {
    const world = this.#world;
    const [txid = ""] = (outpoint ?? "").split(":");
    const own = this.locks.get(hash)?.find(({ signed }) => signed.txid === txid);
    if (own === undefined) return;
    const known = this.#returns.get(hash);
    if (known !== undefined && world.now - known.sentAt < 900) {
      world.pearl.submit(known.signed.hex);
      return;
    }
    const newest = this.locks.get(hash)?.at(-1) ?? own;
    const rate =
      known === undefined ? FEE_RATE * BigInt(2 ** (this.locks.get(hash)?.length ?? 1)) : known.rate * 2n;
    const signed = this.purse.back(newest.spends, rate);
    this.#returns.set(hash, { signed, rate, sentAt: world.now });
    world.note("lock abandoned");
    world.pearl.submit(signed.hex);
  }

  /** None of the locks it signed can be mined any more, or it is back 13 deep (S-54, refund_cooperative). */
  #canNoLockCome(hash: Bytes32): boolean {
    const { pearl } = this.#world;
    const isDeep = (height: number | null): boolean => height !== null && pearl.height - height + 1 >= 13;
    return (this.locks.get(hash) ?? []).every(({ signed, spends }) => {
      const mined = pearl.minedAt(signed.txid);
      if (mined !== null) return isDeep(pearl.spenderOf(`${signed.txid}:0`)?.height ?? null);
      return spends.some(({ coin }) => isDeep(pearl.spenderOf(`${coin.txid}:${coin.vout}`)?.height ?? null));
    });
  }
}

/** The terms that a lock script is made of, as the row shows them. */
function termsOf(row: SwapRow): Terms {
  return {
    buyer: row.buyer_evm as EvmAddress,
    seller: (row.seller_evm ?? row.buyer_evm) as EvmAddress,
    hashlock: row.hashlock as Bytes32,
    usdcAmount: BigInt(row.usdc_amount),
    pearlAmountSat: BigInt(row.pearl_amount_sat),
    buyerPearlKey: row.buyer_pearl_pubkey as Bytes32,
    sellerPearlKey: (row.seller_pearl_pubkey ?? row.buyer_pearl_pubkey) as Bytes32,
    pearlRefundTime: row.pearl_refund_time,
    evmRefundTime: row.evm_refund_time,
    feeBps: row.fee_bps,
    feeRecipient: row.fee_recipient as EvmAddress,
    askId: (row.ask_id ?? row.order_hash) as Bytes32,
    nonce: BigInt(row.nonce),
  };
}
