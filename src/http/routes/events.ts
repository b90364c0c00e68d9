// GET /api/v1/events: server-sent events (H-39). At most one chunk waits in memory for a consumer, and one that takes
// too long to take it is cut off instead of being buffered for.

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { keccak_256 } from "@noble/hashes/sha3.js";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { parseEvmAddress } from "../../swap/forms.ts";
import { COMMON_HEADERS } from "../answer.ts";
import { clientKey } from "../client-key.ts";
import { type HttpContext, presentHeight, RETRY_AFTER_S, seenState, sendError } from "../context.ts";
import { invalidField, type Refusal } from "../errors.ts";
import type { FrameFilter } from "../events/frames.ts";
import { EventHub, type EventSink } from "../events/hub.ts";
import { parameterReader, requestAddress } from "../parameters.ts";
import { addressParameter, tickFilter } from "../schemas/parameters.ts";
import { err, ok, type Result } from "../../primitives/result.ts";

/** Path of the event stream. */
export const EVENTS_PATH = "/api/v1/events";

/** Filters of the event stream. */
export const EventQuery = Type.Object({
  tick: tickFilter,
  address: Type.Optional({
    ...addressParameter,
    description:
      "Only events that concern this address: a Taproot address of the network, or an EVM address.",
    "x-expected": "a Taproot address of this network or an EVM address",
  }),
  deal_hash: Type.Optional(
    Type.String({
      pattern: "^0x[0-9a-fA-F]{64}$",
      description: "Only events of this deal.",
      "x-expected": "0x and 64 hex digits",
    }),
  ),
});

const readQuery = parameterReader(EventQuery);
/** Streams of one client at a time; more are answered 503. */
const MOST_OF_CLIENT = 16;
const EVM_ADDRESS_FAULT =
  "must be a Taproot address of this network or an EVM address (0x and 40 hex digits, not zero, in one letter case or with " +
  "a right EIP-55 checksum)";

/** Adds the event stream. Returns nothing; the hub lives and ends with the server. */
export function registerEvents(app: FastifyInstance, context: HttpContext): void {
  const { deps } = context;
  const hub = new EventHub({
    queries: deps.queries,
    rules: deps.rules,
    see: async (id) => {
      await deps.showsEvent?.(id);
      return seenState(context);
    },
    followedEvent: () => deps.followedEvent?.() ?? Number.MAX_SAFE_INTEGER,
    log: deps.log,
  });
  const { heartbeatMs = 15_000, drainMs = 10_000, maxConsumers = 1000 } = deps.events ?? {};
  const unsubscribe = deps.feed.subscribe(() => hub.wake());
  const unsubscribeSwaps = deps.swapFeed?.subscribe(() => hub.wake());
  const timer = setInterval(() => hub.heartbeat(), heartbeatMs);
  timer.unref();
  app.addHook("preClose", async () => {
    unsubscribe();
    unsubscribeSwaps?.();
    clearInterval(timer);
    hub.close();
  });

  const places = new StreamPlaces(maxConsumers);
  app.get(EVENTS_PATH, { exposeHeadRoute: false }, async (request, reply) => {
    const filter = eventFilter(request.query, deps.rules.hrp);
    if (!filter.ok) return sendError(context, request, reply, filter.error);
    const full = places.take(clientKey(request.ip), reply.raw);
    if (full !== null) {
      return sendError(context, request, reply, {
        code: "SERVICE_UNAVAILABLE",
        message: full,
        headers: { "retry-after": String(RETRY_AFTER_S.unavailable) },
      });
    }
    const lastEventId = request.headers["last-event-id"];
    const given = typeof lastEventId === "string" && lastEventId !== "" ? lastEventId : null;
    const start = await hub.start(given);
    const headers = await streamHeaders(context, request, reply);
    reply.hijack();
    const response = reply.raw;
    // The client may have gone while the start was looked up; its close event is over then.
    if (response.destroyed) return reply;
    response.writeHead(200, headers);
    response.write(streamHead(given === null ? start.after : null));
    const sink = responseSink(response, drainMs);
    response.once("close", () => hub.leave(sink));
    hub.join(sink, start, filter.value);
    return reply;
  });

  app.head(EVENTS_PATH, async (request, reply) => {
    const filter = eventFilter(request.query, deps.rules.hrp);
    if (!filter.ok) return sendError(context, request, reply, filter.error);
    return reply.headers(await streamHeaders(context, request, reply)).send();
  });
}

/**
 * What a stream begins with. `from`: the id behind which a client without one of its own begins; it stands in no event
 * and still counts as the last one, so that a client whose connection breaks before its first event resumes where it
 * began. A `reset` brings its own: with this one before it, a break between both would pass over it.
 */
function streamHead(from: number | null): string {
  const id = from === null ? "" : `id: ${from}\n`;
  return `: connected\nretry: 2000\n${id}\n`;
}

/** Who has how many streams; one that is being opened counts, or many at once would pass the limit together. */
class StreamPlaces {
  readonly #most: number;
  readonly #ofClient = new Map<string, number>();
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a place until the response closes, or says why there is none. */
  take(client: string, response: ServerResponse): string | null {
    const own = this.#ofClient.get(client) ?? 0;
    if (own >= MOST_OF_CLIENT) {
      return `You have ${own} event streams open, as many as one client may have. Close one, or use one for several purposes.`;
    }
    if (this.#taken >= this.#most) {
      return "As many event streams are open as this service allows. Try again later.";
    }
    this.#taken += 1;
    this.#ofClient.set(client, own + 1);
    response.once("close", () => {
      this.#taken -= 1;
      const left = (this.#ofClient.get(client) ?? 1) - 1;
      if (left > 0) this.#ofClient.set(client, left);
      else this.#ofClient.delete(client);
    });
    return null;
  }
}

function eventFilter(rawQuery: unknown, hrp: string): Result<FrameFilter, Refusal> {
  const read = readQuery(rawQuery);
  if (!read.ok) return read;
  const { tick, address: text, deal_hash: dealHash } = read.value;
  const address = text === undefined ? ok(null) : filterAddress(text, hrp);
  if (!address.ok) return address;
  return ok({
    tick: tick ?? null,
    address: address.value,
    dealHash: dealHash?.toLowerCase() ?? null,
  });
}

/** The canonical form of a PEARL or EVM address (S-06), or `INVALID_REQUEST`. */
function filterAddress(text: string, hrp: string): Result<string, Refusal> {
  if (!text.startsWith("0x")) return requestAddress("address", text, hrp);
  const parsed = parseEvmAddress(text, keccak_256);
  return parsed.ok ? parsed : err(invalidField("address", EVM_ADDRESS_FAULT));
}

async function streamHeaders(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    // Reverse proxies that buffer would hold events back.
    "x-accel-buffering": "no",
    "x-indexed-height": String(await presentHeight(context)),
    "x-request-id": request.id,
    ...COMMON_HEADERS,
  };
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (name.startsWith("ratelimit-")) headers[name] = String(value);
  }
  return headers;
}

/** A sink over an HTTP response. */
function responseSink(response: ServerResponse, drainMs: number): EventSink {
  let draining = false;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return {
    write(text) {
      if (response.destroyed || response.writableEnded) return "gone";
      if (response.write(text)) return "taken";
      draining = true;
      return "full";
    },
    async drained() {
      try {
        const signal = AbortSignal.any([AbortSignal.timeout(drainMs), gone.signal]);
        await once(response, "drain", { signal });
        return true;
      } catch {
        // Too slow, or gone.
        response.destroy();
        return false;
      } finally {
        draining = false;
      }
    },
    heartbeat() {
      if (!draining && !response.destroyed && !response.writableEnded) response.write(": heartbeat\n\n");
    },
    end() {
      if (!response.destroyed && !response.writableEnded) response.end();
    },
  };
}
