// The definition of a PRC20 endpoint as one value: path, schemas, example and the function that reads. The same value
// registers the route, validates its parameters, names its answer in the cache and documents it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import type { PaddedText, Page, PageRequest } from "../index/pages.ts";
import type { Snapshot, TipState } from "../index/queries.ts";
import { Askers } from "./askers.ts";
import { answerOf, jsonBody, listBody, type MadeAnswer } from "./answer.ts";
import { clientKey } from "./client-key.ts";
import { type HttpContext, sendAnswer, sendError } from "./context.ts";
import { type CursorBinding, pageLinks, type PageQuery, pageRequest } from "./cursor.ts";
import type { HttpDependencies } from "./dependencies.ts";
import type { Refusal } from "./errors.ts";
import { writeReady } from "./fast-path.ts";
import { parameterReader, type ReadValues } from "./parameters.ts";
import { type ReadyAnswer, readyAnswer } from "./response-cache.ts";
import { ok, type Result } from "../primitives/result.ts";

/** Rows read from one state. */
interface Reading<Row> {
  readonly state: Pick<TipState, "height" | "hash">;
  /** The rows, or their JSON joined by commas. */
  readonly rows: readonly Row[] | PaddedText;
  readonly next?: string | null;
  readonly prev?: string | null;
  /** Of a route that may `truncate`: whether rows are missing beyond its bound. */
  readonly truncated?: boolean;
}

/** What the endpoints read from. */
export type ReadDependencies = Pick<HttpDependencies, "queries" | "rules" | "fillPsbt" | "mempool">;

/** An endpoint of the PRC20 group. */
interface ReadDefinition<Params extends TObject, Query extends TObject, Row extends TSchema> {
  /** Name in the documents, unique. */
  readonly name: string;
  /** Path with `{placeholders}`. */
  readonly path: string;
  readonly summary: string;
  readonly params: Params;
  readonly query: Query;
  readonly row: Row;
  /** One row as it may look, for the documents. */
  readonly example: Static<Row>;
  /** False where answers depend on more than the committed state; default true. */
  readonly cached?: boolean;
  /** Whether the envelope says `truncated`; default false. */
  readonly truncates?: boolean;
  /** Error codes beyond those that every endpoint, or every list, may answer. */
  readonly refusals?: readonly "LISTING_NOT_OPEN"[];
  /** `askers`: who waits for it, where that is known: what takes long is left when all have. */
  read(
    deps: ReadDependencies,
    params: ReadValues<Params>,
    query: ReadValues<Query>,
    askers?: Askers,
  ): Promise<Result<Reading<Static<Row>>, Refusal>>;
}

/** A definition with its types closed over, so that routes of all shapes fit into one list. */
export interface ReadRoute {
  readonly name: string;
  readonly path: string;
  readonly summary: string;
  readonly params: TObject;
  readonly query: TObject;
  readonly row: TSchema;
  readonly example: unknown;
  readonly cached: boolean;
  /** True where the answer is a page of a list. */
  readonly isList: boolean;
  /** True where the envelope says whether the rows are all there are. */
  readonly truncates: boolean;
  /** Error codes beyond those that every endpoint may answer. */
  readonly refusals: readonly ("LISTING_NOT_OPEN" | "CURSOR_INVALID")[];
  /** Validates (H-05), or says what is wrong. */
  ask(params: unknown, query: unknown): Result<ReadQuestion, Refusal>;
}

/** A well-formed request to an endpoint. */
interface ReadQuestion {
  /** The same for all requests that ask for the same, however they are spelled and whatever else they carry. */
  readonly key: string;
  /** True where the request has parameters that the endpoint does not know (H-05). */
  readonly hasUnknown: boolean;
  /** `askers`: who waits for it, where that is known. */
  read(deps: ReadDependencies, askers?: Askers): Promise<Result<Reading<unknown>, Refusal>>;
}

/** Makes a route of a definition. */
export function readRoute<Params extends TObject, Query extends TObject, Row extends TSchema>(
  definition: ReadDefinition<Params, Query, Row>,
): ReadRoute {
  const readParams = parameterReader(definition.params);
  const readQuery = parameterReader(definition.query);
  const isList = Object.hasOwn(definition.query.properties, "next");
  return {
    name: definition.name,
    path: definition.path,
    summary: definition.summary,
    params: definition.params,
    query: definition.query,
    row: definition.row,
    example: definition.example,
    cached: definition.cached ?? true,
    isList,
    truncates: definition.truncates ?? false,
    refusals: [...(isList ? (["CURSOR_INVALID"] as const) : []), ...(definition.refusals ?? [])],
    ask(rawParams, rawQuery) {
      const params = readParams(rawParams);
      if (!params.ok) return params;
      const query = readQuery(rawQuery);
      if (!query.ok) return query;
      return ok({
        key: questionKey(definition, params.value, query.value),
        hasUnknown: Object.keys(Object(rawQuery)).some(
          (name) => !Object.hasOwn(definition.query.properties, name),
        ),
        read: (deps, askers) => definition.read(deps, params.value, query.value, askers),
      });
    },
  };
}

/** The reading of a page of a list: the page that the request asks for, its rows, and the cursors of those beside it. */
export async function pageReading<Found, Row>(
  query: PageQuery,
  binding: CursorBinding,
  read: (page: PageRequest) => Promise<Snapshot<Page<Found>>>,
  rowOf: (found: Found, state: TipState) => Row,
): Promise<Result<Reading<Row>, Refusal>> {
  const page = pageRequest(query, binding);
  if (!page.ok) return page;
  const { state, value } = await read(page.value);
  return ok({ state, rows: value.rows.map((found) => rowOf(found, state)), ...pageLinks(value, binding) });
}

function questionKey(
  { name, params: inPath, query: inQuery }: Pick<ReadRoute, "name" | "params" | "query">,
  params: object,
  query: object,
): string {
  const parts: unknown[] = [name];
  for (const [schema, values] of [
    [inPath, params],
    [inQuery, query],
  ] as const) {
    const given = new Map<string, unknown>(Object.entries(values));
    for (const field of Object.keys(schema.properties)) parts.push(given.get(field) ?? null);
  }
  return JSON.stringify(parts);
}

/** Makes the answer of a route in the calling thread. */
export async function makeAnswer(
  route: ReadRoute,
  deps: ReadDependencies,
  params: unknown,
  query: unknown,
): Promise<Result<MadeAnswer, Refusal>> {
  const question = route.ask(params, query);
  return question.ok ? answerTo(route, question.value, deps) : question;
}

async function answerTo(
  route: ReadRoute,
  question: ReadQuestion,
  deps: ReadDependencies,
  askers?: Askers,
): Promise<Result<MadeAnswer, Refusal>> {
  const reading = await question.read(deps, askers);
  if (!reading.ok) return reading;
  const { state, rows, prev, next, truncated } = reading.value;
  const links = { message: "Success", prev: prev ?? null, next: next ?? null };
  const envelope = route.truncates ? { ...links, truncated: truncated ?? false } : links;
  const body = "buffer" in rows ? listBody(envelope, rows) : jsonBody({ ...envelope, result: rows });
  return ok({ height: state.height, hash: state.hash, ...body });
}

/** Adds a route to the server. */
export function registerRead(app: FastifyInstance, context: HttpContext, route: ReadRoute): void {
  const { cache } = context;
  app.get(routerPath(route.path), async (request, reply) => {
    const question = route.ask(request.params, request.query);
    if (!question.ok) return sendError(context, request, reply, question.error);
    const { key, hasUnknown } = question.value;
    const kept = cache.get(key);
    if (kept !== undefined) {
      if (!hasUnknown) cache.shortCut(request.raw.url ?? "", key);
      return sendReady(context, request, reply, kept);
    }
    const join = (askers: Askers) => askers.join(clientKey(request.ip), reply.raw);
    const make = (askers: Askers) => readyFor(context, route, request, question.value, askers);
    const ready = await (route.cached ? cache.shared(key, join, make) : make(askersOf(join)));
    if (!ready.ok) return sendError(context, request, reply, ready.error);
    if (!hasUnknown) cache.shortCut(request.raw.url ?? "", key);
    return sendReady(context, request, reply, ready.value);
  });
}

function askersOf(join: (askers: Askers) => void): Askers {
  const askers = new Askers();
  join(askers);
  return askers;
}

/** Makes the answer of the present state, and keeps it where that is worth it. */
async function readyFor(
  context: HttpContext,
  route: ReadRoute,
  request: FastifyRequest,
  question: ReadQuestion,
  askers: Askers,
): Promise<Result<ReadyAnswer, Refusal>> {
  const { cache } = context;
  const { key } = question;
  const generation = cache.begin();
  const made = await madeAnswer(context, route, request, question, askers);
  if (!made.ok) {
    const { indexedHeight } = made.error;
    if (indexedHeight !== null) cache.observeHeight(indexedHeight);
    return made;
  }
  cache.observe(generation, made.value);
  const answer = answerOf(200, made.value, { "x-indexed-height": String(made.value.height) });
  const ready = readyAnswer(answer);
  if (route.cached && cache.isWorthKeeping(key)) cache.keep(generation, key, ready);
  return ok(ready);
}

/** Made by another thread where there is one with time for it, and the answer is long enough to be worth the way. */
async function madeAnswer(
  { deps }: HttpContext,
  route: ReadRoute,
  { params, query }: FastifyRequest,
  question: ReadQuestion,
  askers: Askers,
): Promise<Result<MadeAnswer, Refusal>> {
  const elsewhere =
    route.isList && route.cached ? (deps.answers?.ask(route.name, params, query) ?? null) : null;
  return (await elsewhere) ?? answerTo(route, question, deps, askers);
}

/** Past Fastify where that says the same: no limit has headers to add, and nothing is to be compressed. */
async function sendReady(
  { deps, held }: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  ready: ReadyAnswer,
): Promise<FastifyReply> {
  if (deps.rateLimit !== null || !writeReady(ready, held, () => request.id, request.raw, reply.raw)) {
    return sendAnswer(request, reply, ready.answer, held);
  }
  return reply.hijack();
}

/** `{name}` placeholders in the router's notation. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}
