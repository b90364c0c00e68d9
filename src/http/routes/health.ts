// Is the service alive, ready and synced? /health for people and clients, /health/live and /health/ready for
// orchestrators. (interface §2.2 and §4.1, H-20)

import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import type { StateView } from "../../service/queries.ts";
import { jsonAnswer } from "../answer.ts";
import { type HttpContext, RETRY_AFTER_S, send } from "../context.ts";
import type { HttpDependencies } from "../dependencies.ts";
import { digestValue } from "../rows/tokens.ts";
import type { HealthBody, LiveBody } from "../schemas/envelope.ts";

/** Paths of the health endpoints. */
export const HEALTH_PATHS = ["/health", "/health/live", "/health/ready"] as const;

/** Adds the health endpoints. */
export function registerHealth(app: FastifyInstance, context: HttpContext): void {
  const { deps } = context;
  const startedMs = deps.clock.monotonicMs();

  app.get("/health", async (request, reply) => {
    return send(request, reply, jsonAnswer(200, await healthBody(deps, startedMs)));
  });

  app.get("/health/live", async (request, reply) => {
    const body: Static<typeof LiveBody> = { status: "ok" };
    return send(request, reply, jsonAnswer(200, body));
  });

  app.get("/health/ready", async (request, reply) => {
    const body = await healthBody(deps, startedMs);
    const ready = body.indexing_status === "synced" && body.status === "ok";
    const retry: Record<string, string> = ready ? {} : { "retry-after": String(RETRY_AFTER_S.unavailable) };
    return send(request, reply, jsonAnswer(ready ? 200 : 503, body, retry));
  });
}

async function healthBody(deps: HttpDependencies, startedMs: number): Promise<Static<typeof HealthBody>> {
  const status = deps.status();
  const state = await committedState(deps);
  // The committed state is the truth; the follower's count may be a moment older or newer.
  const indexedHeight = state?.height ?? status.indexedHeight;
  const healthy = state !== null && status.indexingStatus !== "stalled";
  return {
    status: healthy ? "ok" : "degraded",
    indexing_status: status.indexingStatus,
    height: status.nodeHeight,
    indexed_height: indexedHeight,
    lag: Math.max(0, status.nodeHeight - indexedHeight),
    digest: digestValue(state ?? { height: indexedHeight, digest: null }),
    evm: evmBody(status.evm),
    network: deps.network,
    version: deps.version,
    uptime_s: Math.floor((deps.clock.monotonicMs() - startedMs) / 1000),
  };
}

/** The committed state, or null where the store does not answer: health must still be told then. */
async function committedState({ queries, log }: HttpDependencies): Promise<StateView | null> {
  try {
    return await queries.state();
  } catch (error) {
    log.error({ error }, "the store did not answer the health check");
    return null;
  }
}

function evmBody(evm: ReturnType<HttpDependencies["status"]>["evm"]): Static<typeof HealthBody>["evm"] {
  if (evm === null) return null;
  return {
    height: evm.height,
    indexed_height: evm.indexedHeight,
    lag: evm.lag,
    indexing_status: evm.indexingStatus,
  };
}
