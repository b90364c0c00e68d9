// POSTs of swaps at a process that does not write: it sends them to the one that does, as errands, and gives its answer.
// A verification is a question that only the writer can ask its nodes; everything else changes what is stored.

import { TextFormat } from "../../primitives/exact-json.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import type { NotReady } from "../readiness.ts";
import { refused, type SwapOutcome } from "./outcome.ts";
import { type SwapReadDependencies, SwapReads } from "./swap-reads.ts";
import type { RequestBody, SwapService } from "./swap-service.ts";
import type { AskActionName } from "../../swap/records.ts";
import { noVerdict } from "./verifications.ts";

/** What can be asked of the writer: a POST by its name in `SwapService`. `hash`: of the ask, order or deal. */
interface Errand {
  readonly name:
    | "createAsk"
    | "takeAsk"
    | "actOnAsk"
    | "setOrigin"
    | "acceptLock"
    | "verifyLock"
    | "verifyRefund"
    | "verifyEvmRefund";
  readonly hash: Bytes32;
  readonly action: AskActionName;
  /** As JSON: what strangers write is no value of ours. */
  readonly body: string;
  readonly client: string;
}

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
  return ANSWERS.text({ outcome: await outcomeOf(api, told.errand) });
}

function outcomeOf(api: SwapService, errand: Errand): Promise<SwapOutcome> {
  const { name, hash, action, client } = errand;
  const body: RequestBody = JSON.parse(errand.body);
  switch (name) {
    case "createAsk":
      return api.createAsk(body);
    case "takeAsk":
      return api.takeAsk(hash, body);
    case "actOnAsk":
      return api.actOnAsk(hash, action, body);
    case "setOrigin":
      return api.setOrigin(hash, body);
    case "acceptLock":
    case "verifyLock":
    case "verifyRefund":
      return api[name](hash, body, client);
    case "verifyEvmRefund":
      break;
  }
  return api.verifyEvmRefund(hash, body);
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

  createAsk(body: RequestBody): Promise<SwapOutcome> {
    return this.#send({ name: "createAsk", body });
  }

  takeAsk(hash: Bytes32, body: RequestBody): Promise<SwapOutcome> {
    return this.#send({ name: "takeAsk", hash, body });
  }

  actOnAsk(hash: Bytes32, action: AskActionName, body: RequestBody): Promise<SwapOutcome> {
    return this.#send({ name: "actOnAsk", hash, action, body });
  }

  setOrigin(hash: Bytes32, body: RequestBody): Promise<SwapOutcome> {
    return this.#send({ name: "setOrigin", hash, body });
  }

  acceptLock(hash: Bytes32, body: RequestBody, client: string): Promise<SwapOutcome> {
    return this.#send({ name: "acceptLock", hash, body, client });
  }

  verifyLock(hash: Bytes32, body: RequestBody, client: string): Promise<SwapOutcome> {
    return this.#send({ name: "verifyLock", hash, body, client });
  }

  verifyRefund(hash: Bytes32, body: RequestBody, client: string): Promise<SwapOutcome> {
    return this.#send({ name: "verifyRefund", hash, body, client });
  }

  verifyEvmRefund(hash: Bytes32, body: RequestBody): Promise<SwapOutcome> {
    return this.#send({ name: "verifyEvmRefund", hash, body });
  }

  async #send({ body, ...given }: Given): Promise<SwapOutcome> {
    const errand: Errand = {
      hash: NO_HASH,
      action: "pause",
      client: "",
      ...given,
      body: JSON.stringify(writable(body)),
    };
    const outcome = await this.#writer.ask(ERRANDS.text({ errand }));
    if (outcome.kind !== "answered") return this.#unanswered(errand, outcome.kind);
    const told = ANSWERS.read(outcome.answer);
    if (told === null) return this.#unanswered(errand, "unknown");
    await this.#writer.caughtUp();
    return told.outcome;
  }

  /** 503 in the shape of the endpoint (H-45, S-62). */
  async #unanswered({ name, hash }: Errand, kind: "given up" | "unknown"): Promise<SwapOutcome> {
    const message = kind === "unknown" ? UNKNOWN : NOBODY;
    if (!name.startsWith("verify")) return refused(SILENT, message, DETAILS);
    const told: NotReady = { code: SILENT, message, details: DETAILS };
    const { ledger } = this.#reads;
    const known = ledger.reading([{ kind: "named", names: [hash] }], (reads) => {
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

interface Given extends Partial<Pick<Errand, "hash" | "action" | "client">>, Pick<Errand, "name"> {
  readonly body: RequestBody;
}

/** In the place of a hash that an errand has none of. */
const NO_HASH = `0x${"00".repeat(32)}` as Bytes32;
