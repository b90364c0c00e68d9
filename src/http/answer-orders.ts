// How does a thread beside the server make answers? It takes orders of `answer-thread.ts` from its port and reports
// what became of each.

import type { MessagePort } from "node:worker_threads";
import type { AnswerOrder, AnswerReport } from "./answer-thread.ts";
import { Refusal } from "./errors.ts";
import { makeAnswer, type ReadDependencies } from "./read-route.ts";
import { READ_ROUTES } from "./routes/reads.ts";

function elsewhere(): never {
  throw new Error("only the main thread knows this");
}

/** Makes answers for as long as the port is open. Answers that depend on more than `deps` must not be ordered. */
export function answerOrders(port: MessagePort, deps: Pick<ReadDependencies, "queries" | "rules">): void {
  const routes = new Map(READ_ROUTES.map((route) => [route.name, route]));
  const all: ReadDependencies = { ...deps, fillPsbt: elsewhere, mempool: { snapshot: elsewhere } };
  const reportOn = async ([id, name, params, query]: AnswerOrder): Promise<AnswerReport> => {
    const route = routes.get(name);
    if (route === undefined) return { kind: "failed", id, why: `there is no route ${name}` };
    const made = await makeAnswer(route, all, params, query);
    if (made instanceof Refusal) {
      const { code, message, indexedHeight } = made;
      return { kind: "refused", id, code, message, height: indexedHeight };
    }
    return { kind: "made", id, ...made };
  };
  const send = (report: AnswerReport): void => port.postMessage(report, ownMemoryOf(report));
  port.on("message", (order: AnswerOrder) => {
    reportOn(order).then(send, (error: unknown) => {
      send({
        kind: "failed",
        id: order[0],
        why: error instanceof Error ? (error.stack ?? "") : String(error),
      });
    });
  });
  send({ kind: "ready" });
}

/** What changes owners instead of being copied. Small buffers share their memory with others (Node's pool). */
function ownMemoryOf(report: AnswerReport): readonly ArrayBuffer[] {
  if (report.kind !== "made" || report.body.length <= Buffer.poolSize) return [];
  const { buffer } = report.body;
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}
