// Another service, behind a path of its proxy, whose digest an import asks for.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { Exported } from "../../src/adapters/store-sqlite/snapshot/export-snapshot.ts";

/** Its answer to every question is the digest of `says`; below `/busy` it takes no question. */
export interface DigestWitness {
  readonly url: string;
  says: Exported | null;
  /** The header of the last question. */
  login: string | undefined;
  /** What it waits for before it answers. */
  asked(): Promise<void>;
  close(): void;
}

/** Starts one. The caller closes it. */
export async function startDigestWitness(): Promise<DigestWitness> {
  const http = createServer((request, response) => {
    witness.login = request.headers.authorization;
    if (request.url?.startsWith("/strand/api/v1/prc20/digest/") === false) {
      // Another service at the root of this address, and one that takes no more questions of this client.
      const isBusy = request.url.startsWith("/busy/");
      response.statusCode = isBusy ? 429 : 200;
      const other = { block_hash: "of another chain", value: "another" };
      response.end(JSON.stringify(isBusy ? { error: "RATE_LIMITED" } : { result: [other] }));
      return;
    }
    const row = { block_hash: witness.says?.hash, value: witness.says?.digest };
    void witness.asked().finally(() => response.end(JSON.stringify({ result: [row] })));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  assert.ok(typeof address === "object" && address !== null);
  const witness: DigestWitness = {
    url: `http://127.0.0.1:${address.port}/strand/`,
    says: null,
    login: undefined,
    asked: () => Promise.resolve(),
    close: () => void http.close(),
  };
  return witness;
}
