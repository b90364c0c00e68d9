// What holds for the whole escrow by its events: which asks their sellers have revoked, the fee of future orders, and
// whether the owner has paused it. Anybody may revoke ten thousand times in one block for the price of a cheap
// transaction, so each event costs the same however many came before it.

import type { EvmAddress } from "../../primitives/brands.ts";
import type { EscrowEvent, EvmPlace } from "../../swap/facts.ts";
import type { Layer, LayeredMap, LayeredValue } from "./layers.ts";

/** The events that this book takes in. */
export type SettingEvent = Extract<EscrowEvent, { kind: "AsksRevoked" | "FeeSet" | "Paused" | "Unpaused" }>;

/** Present fee of the contract, from FeeSet (S-30). */
export interface EscrowFee {
  readonly feeBps: number;
  readonly feeRecipient: EvmAddress;
}

/** The newest of several things that were said one after the other, and what was said before. */
interface Said<Value> {
  readonly block: number;
  readonly value: Value;
  readonly before: Said<Value> | null;
}

interface Revocation {
  readonly time: number;
  readonly nonceBelow: bigint;
}

/** Said on top of what was said: within a block the last word is the only one that anybody can ask for. */
function saidAfter<Value>(
  before: Said<Value> | null | undefined,
  { block }: EvmPlace,
  value: Value,
): Said<Value> {
  const under = before ?? null;
  return { block, value, before: under?.block === block ? under.before : under };
}

/** What blocks up to this height said. */
function saidUpTo<Value>(said: Said<Value> | null, height: number): Said<Value> | null {
  let left = said;
  while (left !== null && left.block > height) left = left.before;
  return left;
}

/** Revoked asks, the present fee and the pause. */
export class SettingsBook {
  readonly #revocations: LayeredMap<EvmAddress, Said<Revocation>>;
  readonly #fee: LayeredValue<Said<EscrowFee> | null>;
  readonly #paused: LayeredValue<Said<boolean> | null>;

  constructor(layer: Layer<SettingsBook>) {
    this.#revocations = layer.map((under) => under.#revocations);
    this.#fee = layer.value((under) => under.#fee, null);
    this.#paused = layer.value((under) => under.#paused, null);
  }

  /** As `StateReads.minAskNonce`. */
  minAskNonce(seller: EvmAddress): bigint {
    return this.#revocations.get(seller)?.value.nonceBelow ?? 0n;
  }

  /** Time of the block, up to this height, that revoked the seller's asks with this nonce; null where none did. */
  revokedAt(seller: EvmAddress, nonce: bigint, upTo: number): number | null {
    let time: number | null = null;
    let said = saidUpTo(this.#revocations.get(seller) ?? null, upTo);
    while (said !== null && nonce < said.value.nonceBelow) {
      ({ time } = said.value);
      said = said.before;
    }
    return time;
  }

  /** As `StateReads.fee`. */
  fee(): EscrowFee | null {
    return this.#fee.value?.value ?? null;
  }

  /** As `EvmLedger.isPaused`. */
  isPaused(): boolean {
    return this.#paused.value?.value ?? false;
  }

  /**
   * Takes an event in. None is impossible: a database that was begun before pauses were stored knows an Unpaused without
   * its Paused.
   */
  apply(event: SettingEvent): void {
    const { place } = event;
    switch (event.kind) {
      case "AsksRevoked": {
        const { seller, nonceBelow } = event;
        const said = saidAfter(this.#revocations.get(seller), place, { time: place.time, nonceBelow });
        this.#revocations.set(seller, said);
        return;
      }
      case "FeeSet": {
        const { feeBps, feeRecipient } = event;
        this.#fee.value = saidAfter(this.#fee.value, place, { feeBps, feeRecipient });
        return;
      }
      case "Paused":
      case "Unpaused":
        this.#paused.value = saidAfter(this.#paused.value, place, event.kind === "Paused");
        return;
    }
  }

  /** Takes back what blocks above this height said. */
  rewind(toHeight: number): void {
    for (const [seller, said] of this.#revocations) {
      const left = saidUpTo(said, toHeight);
      if (left === null) this.#revocations.delete(seller);
      else if (left !== said) this.#revocations.set(seller, left);
    }
    this.#fee.value = saidUpTo(this.#fee.value, toHeight);
    this.#paused.value = saidUpTo(this.#paused.value, toHeight);
  }

  /** Sellers that revoked asks, and whether the fee was set, above a height: whose asks a rewind changes. */
  saidAbove(height: number): { readonly sellers: readonly EvmAddress[]; readonly fee: boolean } {
    const sellers = [...this.#revocations]
      .filter(([, { block }]) => block > height)
      .map(([seller]) => seller);
    return { sellers, fee: (this.#fee.value?.block ?? -1) > height };
  }
}
