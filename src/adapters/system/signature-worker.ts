// A signature worker: it answers each packed block of checks with one byte per check, 1 for valid.

import { parentPort } from "node:worker_threads";
import { verifySchnorr } from "./schnorr.ts";
import { JOB_BYTES, unpackJob } from "./signature-codec.ts";

/** A task for the worker. */
export interface SignatureTask {
  readonly id: number;
  readonly packed: Uint8Array<ArrayBuffer>;
}

/** Its answer: one byte per check. */
export interface SignatureAnswer {
  readonly id: number;
  readonly verdicts: Uint8Array<ArrayBuffer>;
}

const port = parentPort;
if (port === null) throw new Error("the signature worker runs in a worker thread only");

port.on("message", (task: SignatureTask) => {
  const count = task.packed.length / JOB_BYTES;
  const verdicts = new Uint8Array(count);
  for (let index = 0; index < count; index += 1) {
    const job = unpackJob(task.packed, index);
    verdicts[index] = verifySchnorr(job.key, job.message, job.signature) ? 1 : 0;
  }
  const answer: SignatureAnswer = { id: task.id, verdicts };
  port.postMessage(answer, [verdicts.buffer]);
});
