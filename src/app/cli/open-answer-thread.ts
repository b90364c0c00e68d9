// Does a second thread make answers on this machine, and of which program?

import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { AnswerThread } from "../../http/answer-thread.ts";
import type { ProtocolRules } from "../../prc20/rules.ts";
import type { Log } from "../../follow/ports.ts";
import type { Closers } from "./service-host.ts";

const ENTRY = new URL("./answer-worker.ts", import.meta.url);

/** Starts the thread over an open database where there is a core for it, else null; `closers` end it. */
export function openAnswerThread(
  file: string,
  rules: ProtocolRules,
  log: Log,
  closers: Closers,
): AnswerThread | null {
  if (availableParallelism() < 2) return null;
  const thread = new AnswerThread(ENTRY, { file: resolve(file), rules }, log);
  closers.add(() => thread.close());
  return thread;
}
