// Workers and the calling thread judge signatures alike and in order, whatever the set.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { schnorr } from "@noble/curves/secp256k1.js";
import type { SignatureJob } from "../../prc20/listing-signatures.ts";
import { verifySchnorr } from "./schnorr.ts";
import { SignaturePool } from "./signature-pool.ts";

/** Checks of which every third is bad, each in another way, with what an independent library says of them. */
function makeJobs(count: number): { jobs: SignatureJob[]; expected: boolean[] } {
  const secret = new Uint8Array(32).fill(7);
  const key = schnorr.getPublicKey(secret);
  const jobs: SignatureJob[] = [];
  for (let index = 0; index < count; index += 1) {
    const message = new Uint8Array(32);
    new DataView(message.buffer).setUint32(0, index);
    const signature = Uint8Array.from(schnorr.sign(message, secret, new Uint8Array(32)));
    if (index % 12 === 0) signature[40] = (signature[40] ?? 0) ^ 1;
    if (index % 12 === 3) message[5] = 1;
    if (index % 12 === 6) signature.fill(0xff, 32);
    jobs.push({ key: index % 12 === 9 ? new Uint8Array(32).fill(0xff) : key, message, signature });
  }
  return { jobs, expected: jobs.map((_, index) => index % 3 !== 0) };
}

describe("signature pool", () => {
  const pool = new SignaturePool({ workers: 2, inlineLimit: 5, taskSize: 16 });
  after(() => pool.close());

  test("small sets in the calling thread and large ones in workers have the same answers, in order", async () => {
    for (const count of [0, 1, 5, 6, 33, 100]) {
      const { jobs, expected } = makeJobs(count);
      assert.deepEqual(await pool.verifyAll(jobs), expected, `${count} checks`);
    }
  });

  test("malformed checks are false, in the calling thread and in workers", async () => {
    const { jobs } = makeJobs(1);
    const [good] = makeJobs(2).jobs.slice(1);
    assert.ok(good !== undefined);
    const short = { ...good, signature: good.signature.slice(0, 63) };
    const long = { ...good, key: new Uint8Array(33) };
    assert.deepEqual(await pool.verifyAll([short, long, good]), [false, false, true]);
    const many = Array.from({ length: 30 }, (_, index) => [short, long, good][index % 3] ?? good);
    assert.deepEqual(
      await pool.verifyAll(many),
      many.map((job) => job === good),
    );
    assert.equal(jobs.length, 1);
  });

  test("sets under way at the same time do not mix", async () => {
    const sets = [40, 50, 60].map(makeJobs);
    const answers = await Promise.all(sets.map(({ jobs }) => pool.verifyAll(jobs)));
    assert.deepEqual(
      answers,
      sets.map(({ expected }) => expected),
    );
  });

  test("closing rejects what is under way", async () => {
    const closing = new SignaturePool({ workers: 1, inlineLimit: 0 });
    const { jobs } = makeJobs(200);
    const answer = closing.verifyAll(jobs);
    const rejected = assert.rejects(answer, /closed/);
    await closing.close();
    await rejected;
  });

  test("BIP340: a signature with s or r out of range is false, never an exception", () => {
    const [job] = makeJobs(2).jobs.slice(1);
    assert.ok(job !== undefined);
    assert.equal(verifySchnorr(job.key, job.message, job.signature), true);
    assert.equal(verifySchnorr(job.key, job.message, new Uint8Array(64).fill(0xff)), false);
    assert.equal(verifySchnorr(new Uint8Array(32), job.message, job.signature), false);
  });
});
