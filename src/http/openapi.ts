// Describes the interface to machines: the OpenAPI 3.1 document, made from the same route values and schemas that
// validate requests and shape answers (H-50).

import type { TObject, TSchema } from "typebox";
import { ERRORS, type ErrorCode } from "./errors.ts";
import { type Json, SchemaBook } from "./openapi-schemas.ts";
import type { ReadRoute } from "./read-route.ts";
import { EVENTS_PATH, EventQuery } from "./routes/events.ts";
import { HEALTH_PATHS } from "./routes/health.ts";
import type { SwapRoute } from "./routes/swaps/swap-route.ts";
import {
  AddressBalanceRowSchema,
  BalanceRowSchema,
  CandleRowSchema,
  DigestRowSchema,
  DigestValueSchema,
  HolderRowSchema,
  ParametersSchema,
  StatsRowSchema,
  TokenListRowSchema,
  TokenRowSchema,
} from "./schemas/tokens.ts";
import {
  boundedEnvelope,
  envelope,
  EnvelopeErrorBody,
  HealthBody,
  LiveBody,
  SwapErrorBody,
} from "./schemas/envelope.ts";
import { BlockRowSchema, ReorgRowSchema } from "./schemas/blocks.ts";
import { EXAMPLES } from "./schemas/examples.ts";
import { SWAP_EXAMPLES } from "./schemas/swap-examples.ts";
import {
  FillTemplateRowSchema,
  ListingHistoryRowSchema,
  ListingRowSchema,
  QuoteRowSchema,
  SummaryRowSchema,
} from "./schemas/market.ts";
import { HistoryRowSchema, MempoolRowSchema, OperationRowSchema } from "./schemas/operations.ts";
import {
  AddressSwapsSchema,
  AskRowSchema,
  BidRowSchema,
  DealRowSchema,
  LockOutputSchema,
  NextActionSchema,
  ProfileSchema,
  SwapRowSchema,
  SwapStatsSchema,
  SwapTransactionSchema,
  TypedDataSchema,
} from "./schemas/swaps.ts";
import { NO_VERDICT_CODES, NoVerdictSchema, VerificationSchema } from "./schemas/verifications.ts";
import { schemaNotes } from "./parameters.ts";

/** An OpenAPI 3.1 document, as far as its readers here need it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Record<string, Record<string, object>>;
}

/** Shapes that have a name in the document. */
const BOOK = new SchemaBook({
  Error: EnvelopeErrorBody,
  SwapError: SwapErrorBody,
  Health: HealthBody,
  Liveness: LiveBody,
  Digest: DigestRowSchema,
  Block: BlockRowSchema,
  Reorganisation: ReorgRowSchema,
  StateDigest: DigestValueSchema,
  Parameters: ParametersSchema,
  Statistics: StatsRowSchema,
  TokenListEntry: TokenListRowSchema,
  Token: TokenRowSchema,
  Holder: HolderRowSchema,
  Candle: CandleRowSchema,
  Balance: BalanceRowSchema,
  AddressBalance: AddressBalanceRowSchema,
  Operation: OperationRowSchema,
  AddressOperation: HistoryRowSchema,
  MempoolOperation: MempoolRowSchema,
  Listing: ListingRowSchema,
  ClosedListing: ListingHistoryRowSchema,
  MarketSummary: SummaryRowSchema,
  Quote: QuoteRowSchema,
  FillTemplate: FillTemplateRowSchema,
  Ask: AskRowSchema,
  Bid: BidRowSchema,
  Deal: DealRowSchema,
  LockOutput: LockOutputSchema,
  NextAction: NextActionSchema,
  Profile: ProfileSchema,
  SwapTransaction: SwapTransactionSchema,
  Verification: VerificationSchema,
  NoVerdict: NoVerdictSchema,
  Swap: SwapRowSchema,
  AddressSwaps: AddressSwapsSchema,
  SwapStatistics: SwapStatsSchema,
  TypedData: TypedDataSchema,
});

/** What the document is made from. */
interface DocumentInput {
  readonly version: string;
  readonly reads: readonly ReadRoute[];
  readonly swaps: readonly SwapRoute[];
}

const HEIGHT_HEADER = {
  description: "Height of the state that the answer shows; -1 before the first block.",
  schema: { type: "integer", minimum: -1 },
};

/** What a client has to know that keeps a copy of what the stream tells. */
const EVENTS_WORDS = [
  "Each `data` is {height, block_hash, row}, the row as its endpoint shows it then; of reorg, bid, ask and deal also " +
    "`chain`, whose block it is (null: no block). `deal` tells of unfunded takes, too (`evm_leg.state` none), which bind " +
    "nobody and stand in no list.",
  "Open the stream first, then read: an answer whose `x-indexed-height` is the height of an operation or listing, or " +
    "above, has it in it already.",
  "`Last-Event-ID` resumes; without it the stream begins now. Where the log cannot resume, the first event is " +
    "`reset`: read everything again.",
  "`reorg`: what that chain's blocks above `fork_height` brought is undone, and no further event takes it back, nor " +
    "tells that an order is on no chain any more (404): read again what you keep.",
  "No event tells what depth, height or readiness alone change: `confirmations`; a listing past its `exp`; and " +
    "`lock_usdc`, `accept_bid`, `lock_pearl` and the optional `claim_pearl`, which are left out of rows while the " +
    "service is behind a chain and come back without a word. Who waits for one reads the deal again with each `block`.",
].join(" ");

/** The document, as a plain JSON value. */
export function openApiDocument({ version, reads, swaps }: DocumentInput): OpenApiDocument {
  const paths: Record<string, Json> = {};
  const add = (path: string, method: string, operation: Json) => {
    paths[path] = { ...paths[path], [method]: operation };
  };
  for (const path of HEALTH_PATHS) add(path, "get", healthOperation(path));
  for (const route of reads) add(route.path, "get", readOperation(route));
  add(EVENTS_PATH, "get", eventsOperation());
  for (const swap of swaps) add(swap.path, swap.method.toLowerCase(), swapOperation(swap));
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Strand",
      version,
      description:
        "PRC20 token index, token marketplace and swap service for the Pearl chain. Amounts are integers in text.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The server that this document comes from." }],
    tags: [
      { name: "Health", description: "Service and indexing status" },
      { name: "PRC20", description: "Tokens, balances, operations, listings, quotes" },
      { name: "Events", description: "What happens, as it happens" },
      { name: "Swaps", description: "PEARL/USDC swaps: asks, bids, deals, verifications" },
    ],
    paths,
    components: { schemas: BOOK.components },
  };
  // Schemas carry what only the validator needs; the wire form is the plain value.
  return JSON.parse(JSON.stringify(document));
}

/**
 * What every operation may answer: a secret where none belongs (S-66), which health refuses, too; too much asked, a failure,
 * or no database for the moment.
 */
const ANYWHERE: readonly ErrorCode[] = [
  "SECRET_REFUSED",
  "RATE_LIMITED",
  "INTERNAL_ERROR",
  "SERVICE_UNAVAILABLE",
];

const RETRY_HEADER = {
  "retry-after": { description: "Seconds to wait.", schema: { type: "integer", minimum: 0 } },
};

function readOperation(route: ReadRoute): Json {
  const links = { message: "Success", prev: null, next: null };
  const bound = route.truncates ? { truncated: false } : {};
  const page = { ...links, ...bound, result: [route.example] };
  const schema = BOOK.write(route.truncates ? boundedEnvelope(route.row) : envelope(route.row));
  return {
    tags: ["PRC20"],
    operationId: route.name,
    summary: route.summary,
    parameters: [...parameters(route.params, "path"), ...parameters(route.query, "query")],
    responses: {
      200: {
        description: "Rows, possibly none.",
        headers: { "x-indexed-height": HEIGHT_HEADER, etag: { schema: { type: "string" } } },
        content: { "application/json": { schema, example: page } },
      },
      304: { description: "The client has this answer already (`If-None-Match`)." },
      ...errors("Error", ["INVALID_REQUEST", ...route.refusals, ...ANYWHERE]),
    },
  };
}

function healthOperation(path: (typeof HEALTH_PATHS)[number]): Json {
  const live = path === "/health/live";
  const content = {
    "application/json": live
      ? { schema: BOOK.write(LiveBody), example: { status: "ok" } }
      : { schema: BOOK.write(HealthBody), example: EXAMPLES.health },
  };
  const summaries = {
    "/health": "Service and indexing status",
    "/health/live": "Whether the process serves",
    "/health/ready": "Whether the index is synced",
  };
  return {
    tags: ["Health"],
    operationId: path.slice(1).replace("/", "_"),
    summary: summaries[path],
    responses: {
      200: { description: "Serving.", content },
      304: { description: "The client has this answer already (`If-None-Match`)." },
      ...errors("Error", ["SECRET_REFUSED"]),
      ...(path === "/health"
        ? {}
        : {
            503: { description: live ? "To be restarted." : "Not synced.", headers: RETRY_HEADER, content },
          }),
    },
  };
}

function eventsOperation(): Json {
  const example =
    `id: 9120\nevent: block\ndata: {"height":4021,"block_hash":"${EXAMPLES.digestRow.block_hash}","digest":` +
    `"${EXAMPLES.digestRow.value}","operations":0,"row":{"height":4021,"block_hash":` +
    `"${EXAMPLES.digestRow.block_hash}","digest":"${EXAMPLES.digestRow.value}","operations":0}}\n\n`;
  return {
    tags: ["Events"],
    operationId: "events",
    summary: "Server-sent events: block, operation, listing, reorg, bid, ask, deal, reset",
    description: EVENTS_WORDS,
    parameters: [
      ...parameters(EventQuery, "query"),
      {
        name: "last-event-id",
        in: "header",
        schema: { type: "string" },
        description: "The last id received.",
      },
    ],
    responses: {
      200: {
        description: "The stream.",
        headers: { "x-indexed-height": HEIGHT_HEADER },
        content: { "text/event-stream": { schema: { type: "string" }, example } },
      },
      ...errors("Error", ["INVALID_REQUEST", ...ANYWHERE]),
    },
  };
}

function swapOperation(route: SwapRoute): Json {
  const isRead = route.method === "GET";
  const creates = !isRead && route.creates;
  const headers = {
    "x-indexed-height": HEIGHT_HEADER,
    "x-evm-indexed-height": {
      ...HEIGHT_HEADER,
      description: "Height of the EVM state that the answer shows.",
    },
    ...(isRead ? { etag: { schema: { type: "string" } } } : {}),
  };
  const answer = { headers, content: jsonContent(route.response, route.example) };
  const codes: readonly ErrorCode[] = ["INVALID_REQUEST", ...route.errors, "SWAPS_DISABLED", ...ANYWHERE];
  // A reader has the writer carry out every POST, and says so where there is none.
  const postCodes: readonly ErrorCode[] = ["INDEXER_NOT_SYNCED", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];
  const all = [...new Set([...codes, ...(isRead ? [] : postCodes)])];
  return {
    tags: ["Swaps"],
    operationId: route.name,
    summary: route.summary,
    parameters: [...parameters(route.params, "path"), ...parameters(route.query, "query")],
    ...(isRead ? {} : { requestBody: requestBody(route.body, route.bodyExample) }),
    responses: {
      200: { description: creates ? "There already." : "The answer.", ...answer },
      ...(creates ? { 201: { description: "Created.", ...answer } } : {}),
      ...(isRead ? { 304: { description: "The client has this answer already (`If-None-Match`)." } } : {}),
      ...errors("SwapError", all, route.response === VerificationSchema ? NO_VERDICT_CODES : []),
    },
  };
}

function requestBody(schema: TObject, example: unknown): Json {
  const required: readonly string[] = schema.required ?? [];
  return { required: required.length > 0, content: jsonContent(schema, example) };
}

function jsonContent(schema: TSchema, example: unknown): Json {
  return { "application/json": { schema: BOOK.write(schema), example } };
}

function parameters(schema: TObject, place: "path" | "query"): readonly Json[] {
  const required: readonly string[] = schema.required ?? [];
  return Object.entries<TSchema>(schema.properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    description: schemaNotes(property).description,
    schema: BOOK.write(property),
  }));
}

/**
 * Error answers by status; codes of one status share an answer. `noVerdict`: codes that have the shape of a verification
 * without a verdict (S-62).
 */
function errors(
  schema: "Error" | "SwapError",
  codes: readonly ErrorCode[],
  noVerdict: readonly ErrorCode[] = [],
): Record<string, Json> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const answers: Record<string, Json> = {};
  for (const [status, same] of byStatus) {
    const isNoVerdict = (code: ErrorCode): boolean => noVerdict.includes(code);
    const exampleOf = (code: ErrorCode) =>
      isNoVerdict(code) ? exampleNoVerdict(code) : exampleError(schema, code);
    const shape = referenceTo(schema);
    answers[status] = {
      description: same.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join(" "),
      ...(status === 429 || status === 503 ? { headers: RETRY_HEADER } : {}),
      content: {
        "application/json": {
          schema: same.some(isNoVerdict) ? { anyOf: [referenceTo("NoVerdict"), shape] } : shape,
          examples: Object.fromEntries(same.map((code) => [code, { value: exampleOf(code) }])),
        },
      },
    };
  }
  return answers;
}

function referenceTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function exampleNoVerdict(code: ErrorCode): Json {
  const { order_hash, details } = SWAP_EXAMPLES.noVerdict;
  const message = ERRORS[code].when;
  return { ok: false, order_hash, verified: false, error: code, reason: code, message, details };
}

function exampleError(schema: "Error" | "SwapError", code: ErrorCode): Json {
  const message = ERRORS[code].when;
  return schema === "SwapError"
    ? { ok: false, error: code, message, details: {} }
    : { message, prev: null, next: null, result: [], error: code };
}
