// The thread that makes pages of lists beside the one that serves them: a read-only connection, and the same routes.

import { parentPort, workerData } from "node:worker_threads";
import { openReadOnlyIndex } from "../../adapters/store-sqlite/read/query-only.ts";
import { answerOrders, type AnswerThreadStart } from "../../http/answer-thread.ts";

const { file, rules }: AnswerThreadStart = workerData;
if (parentPort === null) throw new Error("this program is a worker thread");
answerOrders(parentPort, { queries: openReadOnlyIndex(file).queries, rules });
