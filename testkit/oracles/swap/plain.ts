// A swap as plain JSON, and the few words of the specification that everything else is said with. The second model
// imports nothing of the program: it is written from the rules' text, to be slow and obvious.

/** A lock output; amounts are decimal strings. */
export interface PlainOutput {
  readonly txid: string;
  readonly vout: number;
  readonly amountSat: string;
  readonly coinbase: boolean;
  readonly mined: { readonly height: number; readonly txIndex: number } | null;
  readonly inMempool: boolean;
  readonly conflictHeight: number | null;
  readonly spend: {
    readonly txid: string;
    readonly path: string;
    readonly outputScripts: readonly string[] | null;
    readonly mined: { readonly height: number } | null;
  } | null;
}

interface PlainPlace {
  readonly block: number;
  readonly time: number;
  readonly txHash: string;
}

/** Everything known of an order or take. */
export interface PlainSubject {
  readonly hash: string;
  readonly terms: {
    readonly buyer: string;
    readonly seller: string;
    readonly hashlock: string;
    readonly usdcAmount: string;
    readonly pearlAmountSat: string;
    readonly pearlRefundTime: number;
    readonly evmRefundTime: number;
    readonly askId: string;
  };
  readonly order: {
    readonly locked: PlainPlace;
    readonly accepted: { readonly place: PlainPlace; readonly seller: string } | null;
    readonly closed: { readonly kind: string; readonly place: PlainPlace } | null;
    /** PayoutCredited of this order, and the CreditWithdrawn of its account that came after it. */
    readonly credited: {
      readonly account: string;
      readonly amount: string;
      readonly withdrawn: object | null;
    } | null;
    readonly disputed?: boolean;
  } | null;
  readonly take: { readonly createdAt: number; readonly expiresAt: number } | null;
  readonly ask: { readonly status: string } | null;
  readonly script: string | null;
  readonly keysValid: boolean;
  readonly outputs: readonly PlainOutput[];
  readonly secret: {
    readonly shownBy: readonly {
      readonly by: string;
      readonly orderHash?: string;
      readonly outpoint?: string;
      readonly script?: string;
    }[];
  } | null;
  readonly hashlockUsedByBuyer: boolean;
  /** Paused came after the last Unpaused (S-21). */
  readonly isEscrowPaused: boolean;
  /** Whether the blocks that may hold outputs of its script are read (S-62). */
  readonly isCovered: boolean;
  /** Output script of the buyer's address that the take gave; null where it gave none. */
  readonly takeScript: string | null;
  /** Output scripts of the addresses that the buyer's key fits. */
  readonly buyerScripts: readonly string[];
}

interface PlainProfile {
  readonly k: number;
  readonly revealMarginS: number;
  readonly lockMarginS: number;
}

/** EvaluationContext and settings. */
export interface PlainWorld {
  readonly now: number;
  readonly isReady: boolean;
  /** Other PEARL nodes that answer: which heights of our chain they have, and their tips. Null: none is configured. */
  readonly witnesses: readonly { readonly sharedHeight: number; readonly tipHeight: number }[] | null;
  readonly tips: {
    readonly evm: {
      readonly height: number;
      readonly time: number;
      readonly finalHeight: number;
      readonly need: number | null;
    };
    readonly pearl: { readonly height: number };
  };
  readonly large: PlainProfile;
  readonly small: PlainProfile;
  readonly smallDealUsdc: string;
  readonly deltaS: number;
}

const ZERO = /^0x0+$/;

/** The words. One instance speaks of one subject in one world. */
export class Words {
  readonly subject: PlainSubject;
  readonly world: PlainWorld;

  constructor(subject: PlainSubject, world: PlainWorld) {
    this.subject = subject;
    this.world = world;
  }

  get profile(): PlainProfile {
    const isSmall = BigInt(this.subject.terms.usdcAmount) <= BigInt(this.world.smallDealUsdc);
    return isSmall ? this.world.small : this.world.large;
  }

  /** S-05: PEARL confirmations of what a block at this height shows. */
  depth(height: number): number {
    return this.world.tips.pearl.height - height + 1;
  }

  /** S-09: a second node has the same block at the lock's height and a tip of at least that height + K - 2. */
  secondNodeHas(height: number): boolean {
    const others = this.world.witnesses;
    if (others === null) return true;
    for (const other of others) {
      const hasBlock = height <= other.sharedHeight;
      if (hasBlock && other.tipHeight >= height + this.profile.k - 2) return true;
    }
    return false;
  }

  /** a second node has all of our PEARL blocks, the last two left aside. */
  get secondNodeFollows(): boolean {
    const others = this.world.witnesses;
    if (others === null) return true;
    for (const other of others) if (this.world.tips.pearl.height - other.sharedHeight < 3) return true;
    return false;
  }

  /** S-05, S-07: the event's block is final, and no second RPC contradicts an event of the order. */
  finalBlock(block: number): boolean {
    return !(this.subject.order?.disputed ?? false) && this.world.tips.evm.finalHeight >= block;
  }

  /** "None", "Locked", "Accepted", "Claimed", "Refunded", "Cancelled". */
  get escrow(): string {
    const { order } = this.subject;
    if (!order) return "None";
    if (order.closed) return (order.closed.kind[0] ?? "").toUpperCase() + order.closed.kind.slice(1);
    return order.accepted ? "Accepted" : "Locked";
  }

  /** S-07: what one RPC shows of the order's end and another one denies takes nobody's way out from him. */
  get escrowWithoutDoubtfulEnd(): string {
    const { order } = this.subject;
    if (!order?.disputed) return this.escrow;
    return order.accepted ? "Accepted" : "Locked";
  }

  /** "accepted and final": the blocks of OrderLocked and OrderAccepted. */
  get acceptedAndFinal(): boolean {
    const { order } = this.subject;
    if (!order || !order.accepted) return false;
    return [order.locked.block, order.accepted.place.block].every((block) => this.finalBlock(block));
  }

  get live(): boolean {
    return this.escrow === "Accepted" && this.acceptedAndFinal;
  }

  get known(): boolean {
    return this.subject.secret !== null;
  }

  /** At least pearl_amount_sat. */
  full(output: PlainOutput): boolean {
    return BigInt(output.amountSat) >= BigInt(this.subject.terms.pearlAmountSat);
  }

  impossible(output: PlainOutput): boolean {
    if (output.mined) return false;
    if (output.coinbase) return true;
    return output.conflictHeight !== null && this.depth(output.conflictHeight) >= 13;
  }

  /** The mined ones in their order, then the others by txid and vout (S-15), impossible ones left out. */
  get rows(): readonly PlainOutput[] {
    const mined = this.subject.outputs.filter((output) => output.mined);
    const unspent = mined.filter((output) => !spentInBlock(output)).toSorted(byPlace);
    const spent = mined.filter((output) => spentInBlock(output)).toSorted(byPlace);
    const others = this.subject.outputs
      .filter((output) => !output.mined && !this.impossible(output))
      .toSorted((a, b) => (a.txid === b.txid ? a.vout - b.vout : a.txid < b.txid ? -1 : 1));
    return [...unspent, ...spent, ...others];
  }

  /** What rows show: all, or the 20 of the greatest amounts with the lock among them. */
  get shown(): readonly PlainOutput[] {
    const all = this.rows;
    if (all.length <= 20) return all;
    const chosen: PlainOutput[] = this.lock ? [this.lock] : [];
    while (chosen.length < 20) {
      const left = all.filter((output) => !chosen.includes(output));
      const most = left.reduce((best, output) =>
        BigInt(output.amountSat) > BigInt(best.amountSat) ? output : best,
      );
      chosen.push(most);
    }
    return all.filter((output) => chosen.includes(output));
  }

  /** *The lock*: the first that exists of four kinds (S-15). */
  get lock(): PlainOutput | null {
    const { rows } = this;
    const kinds: ((output: PlainOutput) => boolean)[] = [
      (output) => output.mined !== null && this.full(output) && !output.coinbase,
      (output) => output.mined === null && output.inMempool && this.full(output),
      (output) => output.mined !== null,
      (output) => output.mined === null && output.inMempool,
    ];
    for (const kind of kinds) {
      const found = rows.find(kind);
      if (found) return found;
    }
    return null;
  }

  /** S-50. */
  get termsError(): string | null {
    const { terms, keysValid, secret, hash, outputs } = this.subject;
    if (!keysValid) return "PUBKEY_INVALID";
    if (terms.pearlRefundTime + this.world.deltaS > terms.evmRefundTime) return "TIMELOCK_MARGIN_TOO_SMALL";
    if (secret === null) return null;
    for (const shower of secret.shownBy) {
      if (shower.by === "claim" && shower.orderHash === hash) return null;
      if (shower.by !== "spend") continue;
      if (shower.script && shower.script === this.subject.script) return null;
      if (!shower.script && outputs.some((output) => outputName(output) === shower.outpoint)) return null;
    }
    return "HASHLOCK_REUSED";
  }

  /** "a payout of this order became a credit (PayoutCredited) and the account has not withdrawn since" (S-54). */
  get owed(): { readonly account: string; readonly amount: string } | null {
    const credited = this.subject.order?.credited;
    if (!credited || credited.withdrawn) return null;
    return { account: credited.account, amount: credited.amount };
  }

  get seller(): string | null {
    const { order, terms } = this.subject;
    if (order?.accepted) return order.accepted.seller;
    return ZERO.test(terms.seller) ? null : terms.seller;
  }
}

/** "txid:vout". */
export function outputName(output: PlainOutput): string {
  return `${output.txid}:${output.vout}`;
}

/** Spent in a block, by whatever leaf. */
export function spentInBlock(output: PlainOutput): boolean {
  return output.spend !== null && output.spend.mined !== null;
}

function byPlace(a: PlainOutput, b: PlainOutput): number {
  const place = (output: PlainOutput): number[] => [
    output.mined?.height ?? 0,
    output.mined?.txIndex ?? 0,
    output.vout,
  ];
  const [first, second] = [place(a), place(b)];
  for (const [i, value] of first.entries()) {
    const other = second[i] ?? 0;
    if (value !== other) return value - other;
  }
  return 0;
}
