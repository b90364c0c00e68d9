// Packs signature checks for their way to a worker into one block of bytes, because copying thousands of small objects
// between threads costs more than checking some of them.

import type { SignatureJob } from "../../prc20/listing-signatures.ts";

const KEY = 32;
const MESSAGE = 32;
const SIGNATURE = 64;
/** Bytes of one packed check: key, message, signature. */
export const JOB_BYTES = KEY + MESSAGE + SIGNATURE;

function isWellFormed(job: SignatureJob): boolean {
  return job.key.length === KEY && job.message.length === MESSAGE && job.signature.length === SIGNATURE;
}

/** Packs well-formed checks; a malformed one becomes zeros, whose key is no point, so that it fails. */
export function packJobs(jobs: readonly SignatureJob[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(jobs.length * JOB_BYTES);
  jobs.forEach((job, index) => {
    if (!isWellFormed(job)) return;
    const offset = index * JOB_BYTES;
    packed.set(job.key, offset);
    packed.set(job.message, offset + KEY);
    packed.set(job.signature, offset + KEY + MESSAGE);
  });
  return packed;
}

/** The check at `index` of a packed block, as views. */
export function unpackJob(packed: Uint8Array, index: number): SignatureJob {
  const offset = index * JOB_BYTES;
  return {
    key: packed.subarray(offset, offset + KEY),
    message: packed.subarray(offset + KEY, offset + KEY + MESSAGE),
    signature: packed.subarray(offset + KEY + MESSAGE, offset + JOB_BYTES),
  };
}
