// How is a PRC20 endpoint defined? As one value: path, schemas, example and the function that reads. The same value
// registers the route, validates its parameters and documents it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, StaticEncode, TObject, TSchema } from "typebox";
import type { RoomyText, StateView } from "../service/queries.ts";
import { answerOf, jsonBody, listBody } from "./answer.ts";
import { type HttpContext, refuse, send } from "./context.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { Refusal } from "./errors.ts";
import { writeReady } from "./fast-path.ts";
import type { MadeAnswer } from "./made-answer.ts";
import { parameterReader } from "./parameters.ts";
import { type ReadyAnswer, readyAnswer } from "./state-cache.ts";

/** Rows read from one state. */
export interface Reading<Row> {
  readonly state: Pick<StateView, "height" | "hash">;
  /** The rows, or their JSON joined by commas. */
  readonly rows: readonly Row[] | RoomyText;
  readonly next?: string | null;
  readonly prev?: string | null;
  /** Of a route that may `truncate`: whether rows are missing beyond its bound. */
  readonly truncated?: boolean;
}

/** What the endpoints read from. */
export type ReadDependencies = Pick<HttpDependencies, "queries" | "rules" | "fillPsbt" | "mempool">;

/** An endpoint of the PRC20 group. */
export interface ReadDefinition<Params extends TObject, Query extends TObject, Row extends TSchema> {
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
  /** Error codes beyond those that every endpoint may answer. */
  readonly refusals?: readonly ("LISTING_NOT_OPEN" | "CURSOR_INVALID")[];
  read(
    deps: ReadDependencies,
    params: StaticEncode<Params>,
    query: StaticEncode<Query>,
  ): Promise<Reading<Static<Row>> | Refusal>;
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
  readonly refusals: readonly ("LISTING_NOT_OPEN" | "CURSOR_INVALID")[];
  /** Validates, then reads. */
  answer(deps: ReadDependencies, params: unknown, query: unknown): Promise<Reading<unknown> | Refusal>;
}

/** Makes a route of a definition. */
export function readRoute<Params extends TObject, Query extends TObject, Row extends TSchema>(
  definition: ReadDefinition<Params, Query, Row>,
): ReadRoute {
  const readParams = parameterReader(definition.params);
  const readQuery = parameterReader(definition.query);
  return {
    name: definition.name,
    path: definition.path,
    summary: definition.summary,
    params: definition.params,
    query: definition.query,
    row: definition.row,
    example: definition.example,
    cached: definition.cached ?? true,
    isList: Object.hasOwn(definition.query.properties, "next"),
    truncates: definition.truncates ?? false,
    refusals: definition.refusals ?? [],
    async answer(deps, rawParams, rawQuery) {
      const params = readParams(rawParams);
      if (params instanceof Refusal) return params;
      const query = readQuery(rawQuery);
      if (query instanceof Refusal) return query;
      return definition.read(deps, params, query);
    },
  };
}

/** Makes the answer of a route in the calling thread. */
export async function makeAnswer(
  route: ReadRoute,
  deps: ReadDependencies,
  params: unknown,
  query: unknown,
): Promise<MadeAnswer | Refusal> {
  const reading = await route.answer(deps, params, query);
  if (reading instanceof Refusal) return reading;
  const { state, rows, prev, next, truncated } = reading;
  const links = { message: "Success", prev: prev ?? null, next: next ?? null };
  const envelope = route.truncates ? { ...links, truncated: truncated ?? false } : links;
  const body = "buffer" in rows ? listBody(envelope, rows) : jsonBody({ ...envelope, result: rows });
  return { height: state.height, hash: state.hash, ...body };
}

/** Adds a route to the server. */
export function registerRead(app: FastifyInstance, context: HttpContext, route: ReadRoute): void {
  const { cache } = context;
  app.get(routerPath(route.path), async (request, reply) => {
    const target = request.raw.url ?? "";
    const kept = cache.get(target);
    if (kept !== undefined) return sendReady(context, request, reply, kept);
    const generation = cache.begin();
    const made = await madeAnswer(context, route, request);
    if (made instanceof Refusal) return refuse(context, request, reply, made);
    cache.observe(generation, made);
    const answer = answerOf(200, made, { "x-indexed-height": String(made.height) });
    const ready = readyAnswer(answer);
    if (route.cached && cache.isWorthKeeping(target)) cache.keep(generation, target, answer, ready);
    return sendReady(context, request, reply, ready);
  });
}

/** Made by another thread where there is one with time for it, and the answer is long enough to be worth the way. */
async function madeAnswer(
  { deps }: HttpContext,
  route: ReadRoute,
  { params, query }: FastifyRequest,
): Promise<MadeAnswer | Refusal> {
  const elsewhere =
    route.isList && route.cached ? (deps.answers?.ask(route.name, params, query) ?? null) : null;
  return (await elsewhere) ?? makeAnswer(route, deps, params, query);
}

/** Past Fastify where that says the same: no limit has headers to add, and nothing is to be compressed. */
async function sendReady(
  { deps }: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  ready: ReadyAnswer,
): Promise<FastifyReply> {
  const unlimited = (deps.rateLimit ?? null) === null;
  if (!unlimited || !writeReady(ready, () => request.id, request.raw, reply.raw)) {
    return send(request, reply, ready.answer);
  }
  return reply.hijack();
}

/** `{name}` placeholders in the router's notation. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}
