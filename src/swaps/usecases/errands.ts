// POSTs of swaps at a process that does not write: it sends them to the one that does, as errands, and gives its answer.
// A verification is a question that only the writer can ask its nodes; everything else changes what is stored.

import { TextFormat } from "../../primitives/exact-json.ts";
import type { NotReady } from "../readiness.ts";
import { whatIsNamed } from "../ledger/closed-port.ts";
import { refused, type SwapOutcome } from "./outcome.ts";
import { type SwapReadDependencies, SwapReads } from "./swap-reads.ts";
import type { RequestBody, SwapPost, SwapService } from "./swap-service.ts";
import { noVerdict } from "./verifications.ts";

/** A post with its body as JSON: what strangers write is no value of ours. */
type Errand = Written<SwapPost>;
type Written<Post> = Post extends SwapPost ? Omit<Post, "body"> & { readonly body: string } : never;

/** What came of an errand. "given up": nobody answered, and nothing was stored. "unknown": something was. */
type Outcome =
  | { readonly kind: "answered"; readonly answer: string }
  | { readonly kind: "given up" }
  | { readonly kind: "unknown" };

/** How the writer is reached. */
interface WriterAccess {
  /** Sends an errand. Does not reject. */
  ask(question: string): Promise<Outcome>;
  /** Resolves when this process has followed what the writer had stored when it answered, or cannot now. */
  caughtUp(): Promise<void>;
}

/** Errands and their answers have one version: who speaks otherwise is not understood. */
const [ERRANDS, ANSWERS] = [
  new TextFormat<{ readonly errand: Errand }>(1, "errand"),
  new TextFormat<{ readonly outcome: SwapOutcome }>(1, "outcome"),
];

const NOBODY =
  "The process that writes does not answer, and nothing was kept of this request. Try again in some seconds.";
const UNKNOWN =
  "The answer to this request was lost, and whether it was accepted is not known. Ask for the object, or send the same " +
  "request again.";

const SILENT = "INDEXER_NOT_SYNCED";
const DETAILS = { writer: "silent" };

/** Carries out an errand with the use cases of the writer; resolves with the text of its answer. @throws where it is none. */
export async function carryOutErrand(api: SwapService, question: string): Promise<string> {
  const told = ERRANDS.read(question);
  if (told === null) throw new Error("swaps: an errand was sent by another version of this program");
  const { errand } = told;
  const post: SwapPost = { ...errand, body: JSON.parse(errand.body) };
  return ANSWERS.text({ outcome: await api.post(post) });
}

/** The swap service of a process that follows the ledger of another one. */
export class FollowingSwaps extends SwapReads implements SwapService {
  readonly #reads: Pick<SwapReadDependencies, "ledger" | "rules">;
  readonly #writer: WriterAccess;

  constructor(deps: SwapReadDependencies, writer: WriterAccess) {
    super(deps);
    this.#reads = deps;
    this.#writer = writer;
  }

  async post(post: SwapPost): Promise<SwapOutcome> {
    const errand: Errand = { ...post, body: JSON.stringify(writable(post.body)) };
    const outcome = await this.#writer.ask(ERRANDS.text({ errand }));
    if (outcome.kind !== "answered") return this.#unanswered(post, outcome.kind);
    const told = ANSWERS.read(outcome.answer);
    if (told === null) return this.#unanswered(post, "unknown");
    await this.#writer.caughtUp();
    return told.outcome;
  }

  /** 503 in the shape of the endpoint (H-45, S-62). */
  async #unanswered(post: SwapPost, kind: "given up" | "unknown"): Promise<SwapOutcome> {
    const message = kind === "unknown" ? UNKNOWN : NOBODY;
    const { name } = post;
    if (name !== "verifyLock" && name !== "verifyRefund" && name !== "verifyEvmRefund")
      return refused(SILENT, message, DETAILS);
    const { hash } = post;
    const told: NotReady = { code: SILENT, message, details: DETAILS };
    const { ledger } = this.#reads;
    const known = ledger.reading(whatIsNamed(hash), (reads) => {
      const subject = reads.subject(hash);
      const need = name === "verifyEvmRefund" ? reads.tips().evm.need : undefined;
      return subject === null ? null : noVerdict(this.#reads, subject, told, need);
    });
    // Where the database is away too, or the writer alone may know the deal, there are no terms to tell of.
    const untold = { ...told, details: { ...DETAILS, retryable: true } };
    return (await known.catch(() => null)) ?? { kind: "noVerdict", orderHash: hash, ...untold };
  }
}

/**
 * A body as it can be written down. No field takes a list, an object or a number that JSON cannot write: an empty list
 * stands for each of them and is refused as they are. Strangers send lists within lists until the stack has no room for
 * writing them.
 */
function writable(body: RequestBody): RequestBody {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, isWritable(value) ? value : []]),
  );
}

function isWritable(value: unknown): boolean {
  return typeof value === "number" ? Number.isFinite(value) : value === null || typeof value !== "object";
}
