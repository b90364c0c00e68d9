// Signs on PEARL for a party of a world: one key, its coins of the beginning, and the wallet's builders.

import { createHash } from "node:crypto";
import {
  buildPayment,
  buildSwapClaim,
  buildSwapLock,
  buildSwapRefund,
  type Coin,
  evmAddressOf,
  type Funding,
  type OwnedCoin,
  plainKey,
  type SignedTx,
  type SigningKey,
  swapLock,
  type SwapLock,
} from "../../../../src/wallet/index.ts";
import type { Bytes32, EvmAddress } from "../../../../src/primitives/brands.ts";
import type { EscrowOrder } from "../../../oracles/escrow.ts";
import { ZERO_BYTES32, type Terms } from "../../../../src/swap/terms.ts";
import { built } from "../../../builders/party.ts";
import { bytesOf } from "../../../bytes.ts";

/** Grains per 1000 vbytes at first; what is sent again pays more. */
export const FEE_RATE = 2000n;

const keys = new Map<string, SigningKey>();

/** The key that belongs to a name. */
export function partyKey(name: string): SigningKey {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const made = plainKey(createHash("sha256").update(`key ${name}`).digest());
  keys.set(name, made);
  return made;
}

const addresses = new Map<string, EvmAddress>();

/** The private EVM key that belongs to a name. */
export function partyEvmKey(name: string): Uint8Array {
  return createHash("sha256").update(`address ${name}`).digest();
}

/** The EVM address that belongs to a name. */
export function partyAddress(name: string): EvmAddress {
  const known = addresses.get(name);
  if (known !== undefined) return known;
  const made = evmAddressOf(partyEvmKey(name)) as EvmAddress;
  addresses.set(name, made);
  return made;
}

/** The address to which a party that the USDC refuses takes what it is owed. */
export function vaultOf(name: string): EvmAddress {
  return partyAddress(`vault of ${name}`);
}

/** 0x hex of bytes. */
export function bytes32Of(bytes: Uint8Array): Bytes32 {
  return `0x${Buffer.from(bytes).toString("hex")}` as Bytes32;
}

/** Locks by what they are made of: making one is slow. */
const locks = new Map<string, SwapLock | null>();

/** The lock of terms with this seller key; null where a key is missing or no point. */
export function lockFor(terms: Terms, sellerKey: Bytes32): SwapLock | null {
  if (sellerKey === ZERO_BYTES32) return null;
  const name = [terms.hashlock, terms.buyerPearlKey, sellerKey, terms.pearlRefundTime].join();
  const known = locks.get(name);
  if (known !== undefined) return known;
  if (locks.size > 200) locks.clear();
  const made = makeLock(terms, sellerKey);
  locks.set(name, made);
  return made;
}

function makeLock(terms: Terms, sellerKey: Bytes32): SwapLock | null {
  try {
    return swapLock({
      hashlock: bytesOf(terms.hashlock),
      buyerKey: bytesOf(terms.buyerPearlKey),
      sellerKey: bytesOf(sellerKey),
      refundTime: terms.pearlRefundTime,
    });
  } catch {
    return null;
  }
}

/** The lock of an order as accepted, or null. */
export function lockOfOrder({ terms, sellerKey }: EscrowOrder): SwapLock | null {
  return lockFor(terms, sellerKey);
}

/** A signed lock with what it spends. */
export interface SentLock {
  readonly signed: SignedTx;
  readonly spends: readonly OwnedCoin[];
}

/** One party's key and coins. */
export class Purse {
  readonly key: SigningKey;
  #coins: Coin[] = [];

  constructor(key: SigningKey) {
    this.key = key;
  }

  /** Takes coins of its own script in. */
  fill(coins: readonly Coin[]): void {
    this.#coins = [...coins];
  }

  get isEmpty(): boolean {
    return this.#coins.length === 0;
  }

  /** A coin that nothing else has been signed with. @throws when there is none. */
  take(): OwnedCoin {
    const coin = this.#coins.shift();
    if (coin === undefined) throw new Error("the purse is empty");
    return { coin, key: this.key };
  }

  /** Pays a lock from these coins, the rest goes back. */
  lock(lock: SwapLock, amount: bigint, coins: readonly OwnedCoin[], rate = FEE_RATE): SentLock {
    return { signed: built(buildSwapLock(lock, amount, this.#funding([], rate), coins)), spends: coins };
  }

  /** Sends these coins back to itself. */
  back(coins: readonly OwnedCoin[], rate = FEE_RATE): SignedTx {
    return built(buildPayment([{ amount: 10_000n, script: this.key.script }], this.#funding(coins, rate)));
  }

  /** The claim at this rate, or at the lowest one where the coin does not bear it. */
  claim(lock: SwapLock, coin: Coin, secret: Uint8Array, rate = FEE_RATE): SignedTx {
    // People go by what the service offers, whatever the coin: its judgement is what is tested.
    const part = { lock, coin, secret, key: this.key, promised: 0n };
    const atRate = buildSwapClaim([part], this.#funding([], rate));
    return atRate.ok ? atRate.value : built(buildSwapClaim([part], this.#funding([], FEE_RATE)));
  }

  /** The refund at this rate, or at the lowest one where the coin does not bear it. */
  refund(lock: SwapLock, coin: Coin, rate = FEE_RATE): SignedTx {
    const part = { lock, coin, key: this.key };
    const atRate = buildSwapRefund([part], this.#funding([], rate));
    return atRate.ok ? atRate.value : built(buildSwapRefund([part], this.#funding([], FEE_RATE)));
  }

  #funding(coins: readonly OwnedCoin[], feePerKvb: bigint): Funding {
    return { coins, changeScript: this.key.script, feePerKvb };
  }
}
