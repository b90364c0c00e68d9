// Makes the node misbehave, by switches for tests of its clients: busy answers, cut bodies, delays, damaged blocks, a
// frozen server, silent or dropped WebSockets.

/** Flips the lowest bit of the byte at `offset` (from the start of the block bytes, certificate included). */
export interface BlockDamage {
  /** Only this block; default every block. */
  readonly hash?: string;
  /** Negative offsets count from the end. */
  readonly offset: number;
  /** How many answers are damaged; default all. */
  readonly times?: number;
}

/** Fault switches of one node. All are off at first. */
export class Faults {
  #busy = 0;
  #cut = 0;
  readonly #delays = new Map<string, number>();
  #damage: { readonly plan: BlockDamage; left: number } | null = null;
  #frozen: { readonly gate: Promise<void>; readonly open: () => void } | null = null;
  /** No WebSocket notification is sent while true. */
  notificationsMuted = false;

  /** The next `count` HTTP requests are answered 503 with pearld's plain text. */
  answerBusy(count: number): void {
    this.#busy = count;
  }

  /** The next `count` HTTP answers break off in the middle of their body. */
  cutBodies(count: number): void {
    this.#cut = count;
  }

  /** Every call of `method` (or `*`: of any) waits this long; 0 takes it back. */
  delay(method: string, milliseconds: number): void {
    if (milliseconds === 0) this.#delays.delete(method);
    else this.#delays.set(method, milliseconds);
  }

  /** Damages raw blocks served by `getblock hash 0`; null takes it back. */
  damageBlocks(plan: BlockDamage | null): void {
    this.#damage = plan === null ? null : { plan, left: plan.times ?? Number.POSITIVE_INFINITY };
  }

  /** No request is answered any more until `thaw`. */
  freeze(): void {
    if (this.#frozen !== null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#frozen = { gate: promise, open: resolve };
  }

  /** Answers everything that waited since `freeze`. */
  thaw(): void {
    this.#frozen?.open();
    this.#frozen = null;
  }

  /** Consumes one busy answer. */
  takeBusy(): boolean {
    if (this.#busy === 0) return false;
    this.#busy -= 1;
    return true;
  }

  /** Consumes one cut body. */
  takeCut(): boolean {
    if (this.#cut === 0) return false;
    this.#cut -= 1;
    return true;
  }

  /** Waits as the switches say before a call of `method` runs. */
  async hold(method: string): Promise<void> {
    if (this.#frozen !== null) await this.#frozen.gate;
    const wait = this.#delays.get(method) ?? this.#delays.get("*") ?? 0;
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  }

  /** The bytes that are served for a block. */
  serveBlock(hash: string, raw: Uint8Array): Uint8Array {
    const damage = this.#damage;
    if (damage === null || damage.left <= 0 || (damage.plan.hash ?? hash) !== hash) return raw;
    damage.left -= 1;
    const copy = raw.slice();
    const at = damage.plan.offset < 0 ? copy.length + damage.plan.offset : damage.plan.offset;
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  }
}
