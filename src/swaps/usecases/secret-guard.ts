// Finds secrets that are not public in requests (S-66). The usual request has no window that hashes to a known
// hashlock and is judged at once; the worst one is searched in pieces, between which others are served. A take costs
// nothing, so a stranger can make a hashlock of anybody's transaction id: what hashes to a hashlock and is the id of a
// transaction or block, an output key, or a part of a longer value that is public, is public anyway, and an honest
// request may name it.

import { equalBytes } from "../../primitives/bytes.ts";
import { elementAt } from "../../primitives/elements.ts";
import type { Bytes32, BlockHash, Txid } from "../../primitives/brands.ts";
import type { WindowHashEnds } from "../../primitives/hashing.ts";
import { remember } from "../../primitives/oldest-first.ts";
import { toBytes32, type SwapCrypto } from "../../swap/crypto.ts";
import { type PreimageWindows, preimageWindows } from "../../swap/preimage-search.ts";
import type { Clock } from "../../follow/ports.ts";
import type { LedgerReads } from "../ledger/ledger.ts";
import type { PearlLookups } from "../lookup-ports.ts";
import { QuestionLanes, REQUEST_LANES } from "./question-lanes.ts";

/** Windows hashed between two breaths of the event loop: about a millisecond. */
const PIECE = 8192;
/** Values that hash to known hashlocks and are looked up for one request; one that names more is refused. */
const MAX_CANDIDATES = 16;

/** What the guard works with. */
interface SecretGuardDependencies {
  readonly ledger: Pick<LedgerReads, "mayKnowHashlock" | "knowsHashlock" | "preimageOf">;
  readonly crypto: Pick<SwapCrypto, "sha256">;
  readonly hashWindows: WindowHashEnds;
  readonly publicValues: Pick<PublicValues, "has">;
  readonly clock: Clock;
  /** Whether rows show these 32 bytes. */
  readonly isShown: (value: Bytes32) => boolean;
  /** The same of rows of closed deals, which are not in memory. */
  readonly isShownClosed: (value: Bytes32) => Promise<boolean>;
  /** Values that are parts of public runs of the text; asked once for a text, and only where something was found. */
  readonly publicParts: (text: Uint8Array) => ReadonlySet<Bytes32>;
}

/** What a search has come upon. */
class Findings {
  readonly #text: Uint8Array;
  readonly #partsIn: (text: Uint8Array) => ReadonlySet<Bytes32>;
  #parts: ReadonlySet<Bytes32> | null = null;
  /** Values that passed the filter of hashlocks: each is judged once, however often it comes. */
  readonly seen = new Set<Bytes32>();
  /** The last of them by the end of its hash: a value that repeats itself is known without being spelt out. */
  readonly last = new Map<number, Uint8Array>();
  /** Those of them that are not public as far as memory tells. */
  readonly candidates = new Set<Bytes32>();

  constructor(text: Uint8Array, partsIn: (text: Uint8Array) => ReadonlySet<Bytes32>) {
    this.#text = text;
    this.#partsIn = partsIn;
  }

  /** Whether the value is a part of a longer one in the text that is public as a whole. */
  isPublicPart(value: Bytes32): boolean {
    this.#parts ??= this.#partsIn(this.#text);
    return this.#parts.has(value);
  }
}

/** Searches texts. */
export class SecretGuard {
  readonly #deps: SecretGuardDependencies;

  constructor(deps: SecretGuardDependencies) {
    this.#deps = deps;
  }

  /**
   * Whether the text, given byte by byte, holds 32 bytes whose SHA-256 is a known hashlock, which are not public. False
   * at once where nothing is found in one piece; else a promise, which never rejects.
   */
  holdsSecret(text: Uint8Array): false | Promise<boolean> {
    const windows = preimageWindows(text);
    if (windows === null) return false;
    const findings = new Findings(text, this.#deps.publicParts);
    this.#search(windows, 0, findings);
    if (windows.offsets.length <= PIECE && findings.candidates.size === 0) return false;
    return this.#judge(windows, findings);
  }

  async #judge(windows: PreimageWindows, findings: Findings): Promise<boolean> {
    for (let from = PIECE; from < windows.offsets.length; from += PIECE) {
      await this.#deps.clock.sleep(0);
      this.#search(windows, from, findings);
    }
    const { candidates } = findings;
    if (candidates.size > MAX_CANDIDATES) return true;
    for (const value of candidates) if (!(await this.#isPublic(value))) return true;
    return false;
  }

  async #isPublic(value: Bytes32): Promise<boolean> {
    // Where nobody can tell, the value may be a secret.
    const isShown = await this.#deps.isShownClosed(value).catch(() => false);
    return isShown || this.#deps.publicValues.has(value);
  }

  /** Adds what one piece holds. */
  #search({ bytes, offsets }: PreimageWindows, from: number, findings: Findings): void {
    const { seen, last, candidates } = findings;
    const { ledger, crypto, hashWindows, isShown } = this.#deps;
    const piece = offsets.subarray(from, from + PIECE);
    const ends = hashWindows(bytes, piece);
    for (const [i, end] of ends.entries()) {
      if (!ledger.mayKnowHashlock(end)) continue;
      const at = elementAt(piece, i);
      const value = bytes.subarray(at, at + 32);
      const before = last.get(end);
      if (before !== undefined && equalBytes(before, value)) continue;
      last.set(end, value);
      const text = toBytes32(value);
      if (seen.has(text)) continue;
      seen.add(text);
      const hashlock = toBytes32(crypto.sha256(value));
      if (!ledger.knowsHashlock(hashlock) || ledger.preimageOf(hashlock) !== null) continue;
      if (!isShown(text) && !findings.isPublicPart(text)) candidates.add(text);
      if (candidates.size > MAX_CANDIDATES) return;
    }
  }
}

/** Who knows ids. Both reject where they cannot tell. */
interface IdSources {
  /** Whether the index knows a transaction of this id, a block of this hash, or a history of the address with this output key. */
  isIndexed(digits: string): Promise<boolean>;
  /** The operator's own node, never another one that is followed in its place: whoever is asked about a secret knows it. */
  readonly ownNode: PearlLookups;
}

/** Answers that are remembered. */
const MAX_REMEMBERED = 10_000;
/** A value that nobody knows may be a transaction's id a minute later. */
const UNKNOWN_FOR_MS = 60_000;

interface Answer {
  readonly isPublic: Promise<boolean>;
  /** Monotonic; null where it holds for ever or is not there yet. */
  untilMs: number | null;
}

/** Looks values up, each once, with bounds on what strangers make it cost. */
export class PublicValues {
  readonly #sources: IdSources;
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #answers = new Map<Bytes32, Answer>();
  /** For the node. */
  readonly #lanes: QuestionLanes;

  constructor(sources: IdSources, clock: Clock) {
    this.#sources = sources;
    this.#clock = clock;
    this.#lanes = new QuestionLanes(REQUEST_LANES, clock);
  }

  /**
   * Whether the value is public. False also where nobody can tell now, or too many ask: a request that may hold a
   * secret is then refused, which costs an honest client a second try and its owner nothing. Never rejects, and
   * nothing of the value is logged.
   */
  has(value: Bytes32): Promise<boolean> {
    const known = this.#answers.get(value);
    if (known !== undefined && (known.untilMs === null || this.#clock.monotonicMs() < known.untilMs)) {
      return known.isPublic;
    }
    const answer: Answer = { isPublic: this.#ask(value), untilMs: null };
    remember(this.#answers, value, answer, MAX_REMEMBERED);
    void answer.isPublic.then((isPublic) => {
      if (!isPublic) answer.untilMs ??= this.#clock.monotonicMs() + UNKNOWN_FOR_MS;
    });
    return answer.isPublic;
  }

  async #ask(value: Bytes32): Promise<boolean> {
    const isPublic = await this.#lookUp(value.slice(2)).catch(() => null);
    // What went wrong may name the value, so it goes nowhere. The next request may ask again.
    if (isPublic === null) this.#answers.delete(value);
    return isPublic === true;
  }

  /** Null where the node does not tell, or too many ask it. */
  async #lookUp(digits: string): Promise<boolean | null> {
    if (await this.#sources.isIndexed(digits)) return true;
    const { ownNode } = this.#sources;
    return this.#lanes.ask(
      async () =>
        (await ownNode.isBlock(digits as BlockHash)) || (await ownNode.transaction(digits as Txid)) !== null,
    );
  }
}
