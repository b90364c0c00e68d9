// Looks again and again at what asks rest on (S-31, S-34): the balance of each PEARL address once in a round, and the
// signatures of contracts. Everything slow is asked first; the lock of asks is held for the judgement and its write
// alone, on the state of that moment. What cannot be told changes nothing for six hours, then pauses.

import type { EvmAddress } from "../../primitives/brands.ts";
import { fundedFlags } from "../../swap/funding.ts";
import type { AskRecord } from "../../swap/records.ts";
import type { SwapDependencies } from "./dependencies.ts";
import type { Asker } from "./question-lanes.ts";

/** How long the last known balance stands where its source fails, seconds. */
const STALE_AFTER_S = 6 * 3600;
/**
 * A look that finds the same is noted in memory; the stored time follows when it is so old. A restart while the source
 * fails shortens the six hours by so much at most, and a round of a hundred thousand asks writes nothing.
 */
const STORED_AFTER_S = 3600;
/** Addresses that are looked up at a time. */
const ADDRESSES_AT_ONCE = 8;
/** Asks that one transaction writes. */
const WRITTEN_AT_ONCE = 256;
/** Addresses that are passed over between two breaths of the event loop. */
const PASSED_AT_ONCE = 500;
/** Minutes until an address without a funded ask is looked up again: 1, 2, 4 and so on, at most this. */
const LONGEST_WAIT_MIN = 60;
/** Sellers whose accounts one round reads, in turn, and how many by one request. */
const SELLERS_OF_ROUND = 1_000;
const SELLERS_OF_REQUEST = 50;
/** Contracts that one round calls. With the gas of a call it bounds what sellers can make an RPC compute. */
const CALLS_OF_ROUND = 500;
/** A contract whose calls fail so often is not called again in the round: its other asks wait for their turn. */
const FAILURES_OF_SELLER = 3;

/** What the rounds work with. */
type AskRecheckDependencies = Pick<
  SwapDependencies,
  "ledger" | "readiness" | "asks" | "balances" | "signatures" | "locks" | "clock" | "log"
>;

/** Runs the rounds, and the look that a seller's `resume` asks for. */
export class AskRechecks {
  readonly #deps: AskRecheckDependencies;
  /** Addresses without a funded ask: when they are looked up next, and after which wait. */
  readonly #resting = new Map<string, { readonly nextS: number; readonly waitMin: number }>();
  #nextSeller = 0;

  constructor(deps: AskRecheckDependencies) {
    this.#deps = deps;
  }

  /** A round every `everyS` seconds until the signal aborts. */
  async run(everyS: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#deps.clock.sleep(everyS * 1000, signal);
      if (signal.aborted) return;
      try {
        await this.round(signal);
      } catch (error) {
        // A commit that failed, or a bug: the next look may do better, and requests say what they find.
        if (!signal.aborted) this.#deps.log.error({ error }, "a re-check of asks failed");
      }
    }
  }

  /** Looks at every address that is due, and at some sellers' accounts. */
  async round(signal?: AbortSignal): Promise<void> {
    const addresses = this.#deps.asks.fundingAddresses();
    const left = addresses[Symbol.iterator]();
    const work = async (): Promise<void> => {
      let passed = 0;
      for (const address of left) {
        if (signal?.aborted === true) return;
        if (this.#isDue(address)) await this.look(address, "round");
        else if ((passed += 1) % PASSED_AT_ONCE === 0) await this.#deps.clock.sleep(0);
      }
    };
    await Promise.all(Array.from({ length: ADDRESSES_AT_ONCE }, work));
    this.#forgetAllBut(new Set(addresses));
    if (signal?.aborted !== true) await this.#readAccounts(signal);
  }

  /** Looks one address up and judges the asks on it. The caller holds no lock. */
  async look(address: string, asker: Asker): Promise<void> {
    const { balances, readiness, ledger, locks, asks } = this.#deps;
    if (!asks.fundingAsks(address).some(({ status }) => status !== "ASK_TAKEN")) return;
    const balance = await balances.look(address, asker);
    if (balance !== null) ledger.noteBalanceSeen(address, readiness.now());
    let isWritten = false;
    while (!isWritten) {
      isWritten = await locks.run("asks", () => this.#write(this.#judged(address, balance)));
    }
    this.#rest(address);
  }

  #isDue(address: string): boolean {
    const resting = this.#resting.get(address);
    return resting === undefined || resting.nextS <= this.#deps.readiness.now();
  }

  /** An address that funds nothing is looked up less and less often: asks on foreign addresses cost their poster nothing. */
  #rest(address: string): void {
    const isFunding = this.#deps.asks
      .fundingAsks(address)
      .some(({ record, status }) => status === "ASK_TAKEN" || record.funded);
    if (isFunding) {
      this.#resting.delete(address);
      return;
    }
    const before = this.#resting.get(address)?.waitMin;
    const waitMin = before === undefined ? 1 : Math.min(LONGEST_WAIT_MIN, before * 2);
    this.#resting.set(address, { nextS: this.#deps.readiness.now() + waitMin * 60, waitMin });
  }

  #forgetAllBut(addresses: ReadonlySet<string>): void {
    for (const address of this.#resting.keys()) if (!addresses.has(address)) this.#resting.delete(address);
    for (const address of this.#deps.ledger.addressesSeen()) {
      if (!addresses.has(address)) this.#deps.ledger.noteBalanceSeen(address, null);
    }
  }

  /** The records that a look changes, as they stand now. */
  #judged(address: string, balance: bigint | null): readonly AskRecord[] {
    const { asks, readiness, ledger } = this.#deps;
    const now = readiness.now();
    const onAddress = asks.fundingAsks(address);
    const flags = balance === null ? null : fundedFlags(onAddress, balance);
    const seenAt = ledger.balanceSeenAt(address);
    return onAddress.flatMap(({ record, status }) => {
      if (status === "ASK_TAKEN") return [];
      const next = judged(record, { now, balance, funded: flags?.get(record.askId) ?? null, seenAt });
      return next === record ? [] : [next];
    });
  }

  /** Writes some of the changes; false where more are left, which are judged again. */
  async #write(changed: readonly AskRecord[]): Promise<boolean> {
    if (changed.length > 0) await this.#deps.ledger.write({ asks: changed.slice(0, WRITTEN_AT_ONCE) });
    return changed.length <= WRITTEN_AT_ONCE;
  }

  /** Whose accounts have become contracts, or stopped being ones, and which contracts still say yes (S-31). */
  async #readAccounts(signal?: AbortSignal): Promise<void> {
    const { asks, signatures } = this.#deps;
    const all = asks.standingSellers();
    const from = all.length <= SELLERS_OF_ROUND ? 0 : this.#nextSeller % all.length;
    const turn = [...all.slice(from), ...all.slice(0, from)].slice(0, SELLERS_OF_ROUND);
    this.#nextSeller = from + SELLERS_OF_ROUND;
    const budget = { calls: CALLS_OF_ROUND };
    for (let at = 0; at < turn.length; at += SELLERS_OF_REQUEST) {
      const some = turn.slice(at, at + SELLERS_OF_REQUEST);
      const before = new Map(some.map((seller) => [seller, signatures.known(seller)]));
      const kinds = await signatures.readKinds(some);
      if (kinds === null || signal?.aborted === true) return;
      for (const seller of some) {
        const kind = kinds.get(seller);
        if (kind === "contract") await this.#callContract(seller, budget);
        else if (kind === "key" && before.get(seller) !== "key") await this.#judgeByKey(seller);
      }
    }
  }

  async #callContract(seller: EvmAddress, budget: { calls: number }): Promise<void> {
    const { asks, signatures } = this.#deps;
    let failures = 0;
    for (const { askId, signature, signatureValid } of asks.fundedOf(seller)) {
      if (budget.calls === 0 || failures === FAILURES_OF_SELLER) return;
      budget.calls -= 1;
      const verdict = await signatures.callContract(seller, askId, signature, "round");
      if (verdict === null) return;
      if (verdict === "failed") failures += 1;
      if (signatureValid !== (verdict === "valid"))
        await keepSignatureVerdict(this.#deps, askId, verdict === "valid");
    }
  }

  async #judgeByKey(seller: EvmAddress): Promise<void> {
    const { asks, signatures } = this.#deps;
    for (const { askId, signature, signatureValid } of asks.fundedOf(seller)) {
      const { kind } = await signatures.judgeStored(seller, askId, signature);
      if (kind !== "unavailable" && signatureValid !== (kind === "valid"))
        await keepSignatureVerdict(this.#deps, askId, kind === "valid");
    }
  }
}

/** Stores whether an ask's signature is valid, where that has changed. */
export async function keepSignatureVerdict(
  { locks, ledger, readiness }: Pick<SwapDependencies, "locks" | "ledger" | "readiness">,
  askId: AskRecord["askId"],
  signatureValid: boolean,
): Promise<void> {
  await locks.run("asks", async () => {
    await ledger.settled();
    const present = ledger.ask(askId);
    if (present === null || present.signatureValid === signatureValid) return;
    await ledger.write({ asks: [{ ...present, signatureValid, updatedAt: readiness.now() }] });
  });
}

interface Findings {
  readonly now: number;
  readonly balance: bigint | null;
  /** Null where the balance is unknown or the ask takes no part in the sum. */
  readonly funded: boolean | null;
  /** When the balance was last looked up; null where that is what the record says. */
  readonly seenAt: number | null;
}

/** The record after a look; the same object where there is nothing to store. */
function judged(ask: AskRecord, { now, balance, funded, seenAt }: Findings): AskRecord {
  const checkedAt = Math.max(seenAt ?? 0, ask.balanceCheckedAt ?? ask.createdAt);
  const isStale = balance === null && now - checkedAt >= STALE_AFTER_S;
  const next = {
    funded: funded ?? (isStale ? false : ask.funded),
    pearlBalanceSat: balance ?? ask.pearlBalanceSat,
    balanceCheckedAt: seenAt ?? ask.balanceCheckedAt,
  };
  const isRowSame = next.funded === ask.funded && next.pearlBalanceSat === ask.pearlBalanceSat;
  const isTimeOld = (next.balanceCheckedAt ?? 0) - (ask.balanceCheckedAt ?? 0) >= STORED_AFTER_S;
  if (isRowSame && !isTimeOld) return ask;
  return { ...ask, ...next, updatedAt: isRowSame ? ask.updatedAt : now };
}
