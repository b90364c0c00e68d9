// /health for people and clients; /health/live and /health/ready for orchestrators. (interface §2.2 and §4.1, H-20)

import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import { type Condition, CONDITIONS } from "../../follow/conditions.ts";
import type { IndexingStatus, IndexStatus } from "../../follow/serving.ts";
import type { TipState } from "../../index/queries.ts";
import { jsonAnswer } from "../answer.ts";
import { type HttpContext, RETRY_AFTER_S, seenState, sendAnswer } from "../context.ts";
import type { HttpDependencies } from "../dependencies.ts";
import { digestValue } from "../rows/tokens.ts";
import type { HealthBody, LiveBody } from "../schemas/envelope.ts";

/** Paths of the health endpoints. */
export const HEALTH_PATHS = ["/health", "/health/live", "/health/ready"] as const;

const RETRY = { "retry-after": String(RETRY_AFTER_S.unavailable) };

/** True for the paths of health, which no limit counts (H-10). */
export function isHealthPath(path: string): boolean {
  return HEALTH_PATHS.some((one) => one === path);
}

/** Adds the health endpoints. */
export function registerHealth(app: FastifyInstance, context: HttpContext): void {
  const { deps } = context;
  const startedMs = deps.clock.monotonicMs();

  app.get("/health", async (request, reply) => {
    const { body } = await healthOf(context, startedMs);
    return sendAnswer(request, reply, jsonAnswer(200, body));
  });

  // That this is answered at all shows that the event loop turns.
  app.get("/health/live", async (request, reply) => {
    const isDead = deps.conditions().some(({ code }) => code === "WRITER_DEAD");
    const body: Static<typeof LiveBody> = { status: isDead ? "dead" : "ok" };
    return sendAnswer(request, reply, isDead ? jsonAnswer(503, body, RETRY) : jsonAnswer(200, body));
  });

  app.get("/health/ready", async (request, reply) => {
    const { body, isReady } = await healthOf(context, startedMs);
    return sendAnswer(request, reply, isReady ? jsonAnswer(200, body) : jsonAnswer(503, body, RETRY));
  });
}

interface Health {
  readonly body: Static<typeof HealthBody>;
  /** Whether PRC20 answers are given and are of the present. */
  readonly isReady: boolean;
}

async function healthOf(context: HttpContext, startedMs: number): Promise<Health> {
  const { deps } = context;
  const status = deps.status();
  // Where nothing can be read yet, the conditions say why.
  const isOpen = deps.isOpen?.() !== false;
  const state = isOpen ? await committedState(context) : null;
  const conditions = [...deps.conditions(), ...(isOpen && state === null ? [STORE_SILENT] : [])];
  // The committed state is the truth; the follower's count may be a moment older or newer.
  const indexedHeight = state?.height ?? status.indexedHeight;
  const lag = Math.max(0, status.nodeHeight - indexedHeight);
  const indexingStatus = presentStatus(status, lag, deps.syncedLag);
  const body = {
    status: conditions.length === 0 ? ("ok" as const) : ("degraded" as const),
    reasons: [...new Set(conditions.map(({ code }) => code))],
    conditions: conditions.map(({ code, sentence }) => ({ code, message: sentence })),
    indexing_status: indexingStatus,
    height: status.nodeHeight,
    indexed_height: indexedHeight,
    lag,
    digest: digestValue(state ?? { height: indexedHeight, digest: null }),
    evm: evmBody(status.evm),
    nodes: deps.nodes(),
    network: deps.network,
    version: deps.version,
    uptime_s: Math.floor((deps.clock.monotonicMs() - startedMs) / 1000),
  };
  const isReady =
    indexingStatus === "synced" && !conditions.some(({ code }) => CONDITIONS[code].concernsTokens);
  return { body, isReady };
}

/** A reader is told of the writer once a second, and shows its blocks before: one that has come to the tip is synced. */
function presentStatus(status: IndexStatus, lag: number, syncedLag: number): IndexingStatus {
  const hasCome = status.indexingStatus === "syncing" && status.nodeHeight >= 0 && lag <= syncedLag;
  return hasCome ? "synced" : status.indexingStatus;
}

const STORE_SILENT: Condition = {
  code: "STORE_SILENT",
  sentence:
    "The database does not answer, so that nothing can be read. Check its disk and permissions; the log has the error.",
};

/** The committed state, or null where the store does not answer: health must still be told then. */
async function committedState(context: HttpContext): Promise<TipState | null> {
  try {
    return await seenState(context);
  } catch (error) {
    context.deps.log.error({ error }, "the store did not answer the health check");
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
