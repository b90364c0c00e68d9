// All that the ledger keeps in memory, and a change of it that nobody else sees yet. A draft is books over the books: it
// reads through to them, is asked for rows like them, and is laid down when it is durable; one that fails is dropped.

import type { Bytes32, ScriptHex } from "../../primitives/brands.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import { DEEP } from "../../swap/finality.ts";
import type { SwapRules } from "../../swap/subject.ts";
import type { BookChange, CausingBlock } from "./book-change.ts";
import { ChainBook } from "./chain-book.ts";
import { ClosedBook } from "./closed-book.ts";
import type { FactKind } from "./fact-fields.ts";
import { Layer, type LayeredMap } from "./layers.ts";
import { LockBook } from "./lock-book.ts";
import { OrderBook } from "./order-book.ts";
import type { ClosedBundle, StoredBundle, StoredFact } from "./closed-port.ts";
import type { ChainCheckpoint, StoredSwapEvent, SwapTransaction } from "./ports.ts";
import { RecordBook } from "./record-book.ts";
import { ScriptBook } from "./script-book.ts";
import { SettingsBook } from "./settings-book.ts";
import { HashlockFilter, PreimageBook } from "./preimage-book.ts";
import { TrustBook } from "./trust-book.ts";

/** What books are made with. */
interface BookSettings {
  readonly crypto: SwapCrypto;
  readonly rules: Pick<SwapRules, "large" | "small">;
  /** As `ChainTips.evm.need`. */
  readonly evmConfirmations: number | null;
}

/** All books. */
export class Books {
  readonly chains: ChainBook;
  readonly scripts: ScriptBook;
  readonly secrets: PreimageBook;
  readonly orders: OrderBook;
  readonly settings: SettingsBook;
  readonly locks: LockBook;
  readonly records: RecordBook;
  readonly trust: TrustBook;
  readonly closed: ClosedBook;
  /** Orders whose rows change when a tip moves far enough. */
  readonly waiting: LayeredMap<Bytes32, true>;
  /** The hashlocks of orders and takes; of a draft those before it. */
  readonly hashlocks: HashlockFilter;
  /** As `StateReads.balanceSeenAt`. Neither stored nor part of a change. */
  readonly balancesSeen: Map<string, number>;
  /** The numbers of PEARL confirmations that rows tell apart (S-03, S-15, S-54). */
  readonly depths: readonly number[];
  readonly #made: BookSettings;
  readonly #layer: Layer<Books>;

  /** Books in which nothing stands yet, or books over others. */
  constructor(settings: BookSettings, under: Books | null = null) {
    const layer = new Layer(under);
    this.#layer = layer;
    this.#made = settings;
    const { large, small } = settings.rules;
    this.depths = layer.shared(
      (books) => books.depths,
      () => [...new Set([large.k, small.k, DEEP])],
    );
    this.hashlocks = layer.shared(
      (books) => books.hashlocks,
      () => new HashlockFilter(),
    );
    this.balancesSeen = layer.shared(
      (books) => books.balancesSeen,
      () => new Map(),
    );
    this.chains = new ChainBook(
      layer.within((books) => books.chains),
      settings.evmConfirmations,
    );
    this.scripts = new ScriptBook(
      layer.within((books) => books.scripts),
      settings.crypto,
    );
    this.secrets = new PreimageBook(
      layer.within((books) => books.secrets),
      settings.crypto.sha256,
    );
    this.orders = new OrderBook(
      layer.within((books) => books.orders),
      this.scripts,
      this.hashlocks,
    );
    this.settings = new SettingsBook(layer.within((books) => books.settings));
    this.locks = new LockBook(
      layer.within((books) => books.locks),
      this.scripts,
    );
    this.records = new RecordBook(
      layer.within((books) => books.records),
      this.hashlocks,
    );
    this.trust = new TrustBook(layer.within((books) => books.trust));
    this.closed = new ClosedBook(
      layer.within((books) => books.closed),
      this.hashlocks,
    );
    this.waiting = layer.map((books) => books.waiting);
  }

  /** Takes an event of the escrow in, events being in chain order. @throws ImpossibleLog as `OrderBook.apply`. */
  applyEvent(event: EscrowEvent, change: BookChange): void {
    switch (event.kind) {
      case "AsksRevoked":
      case "FeeSet":
      case "Paused":
      case "Unpaused":
        return this.settings.apply(event);
      default:
        return this.orders.apply(event, change);
    }
  }

  /** Books that show what these show, and keep changes to themselves. */
  over(): Books {
    return new Books(this.#made, this);
  }

  /** Takes from other books what no store has: when balances were looked up. */
  takeUnstored(other: Books): void {
    for (const [address, at] of other.balancesSeen) this.balancesSeen.set(address, at);
  }

  /** Gives all changes to the books beneath, in one step; from then on these show what was there before. */
  layDown(): void {
    this.#layer.layDown();
  }
}

/** One change of the ledger: the books as they will be, what is to be stored, and whose rows may differ. */
export class Draft {
  readonly books: Books;
  rewind: SwapTransaction["rewind"] = null;
  readonly #put = new Map<string, StoredFact>();
  readonly remove: { readonly kind: string; readonly key: string }[] = [];
  checkpoints: readonly ChainCheckpoint[] = [];
  /** Events that are not about rows. */
  readonly events: StoredSwapEvent[] = [];
  /** Orders and takes whose rows may change, each with the block that did it. */
  readonly orders = new Map<Bytes32, CausingBlock | null>();
  readonly asks = new Map<Bytes32, CausingBlock | null>();
  /** Bundles that close with this change, and ones that open. */
  readonly close: ClosedBundle[] = [];
  readonly open: StoredBundle[] = [];
  /** Orders and asks that leave or come back so; their rows stay as they are. */
  readonly moved = { orders: new Set<Bytes32>(), asks: new Set<Bytes32>() };
  /** Scripts whose orders are marked already, each with the height of the latest block that did it; -1: none. */
  readonly toldScripts = new Map<ScriptHex, number>();
  /** Whether a reorganisation or an eviction explains any way of a status (S-51). */
  isExplained = false;

  /** A change of these books. */
  constructor(books: Books) {
    this.books = books.over();
  }

  /** What is to be stored: each fact once, as it was said last. */
  get put(): readonly StoredFact[] {
    return [...this.#put.values()];
  }

  store<Value>(kind: FactKind<Value>, value: Value): void {
    const fact = kind.row(value);
    this.#put.set(`${fact.kind} ${fact.key}`, fact);
  }

  /** A store removes before it puts: what this change said of the fact before is taken back here. */
  forget<Value>({ name: kind }: FactKind<Value>, key: string): void {
    this.#put.delete(`${kind} ${key}`);
    this.remove.push({ kind, key });
  }

  touch(order: Bytes32, cause: CausingBlock | null): void {
    this.orders.set(order, later(this.orders.get(order) ?? null, cause));
  }

  touchAsk(ask: Bytes32, cause: CausingBlock | null): void {
    this.asks.set(ask, later(this.asks.get(ask) ?? null, cause));
  }
}

function later(one: CausingBlock | null, other: CausingBlock | null): CausingBlock | null {
  if (one === null || other === null) return one ?? other;
  return other.height >= one.height ? other : one;
}
