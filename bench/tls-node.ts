// A node over TLS that closes every connection, as pearld does: the embedded one with as many small blocks as it is told.
// node tls-node.ts BLOCKS, with an IPC channel: says where it listens when the blocks are mined; ends with its parent.

import { key } from "../testkit/doubles/pearl-node/test-wallet.ts";
import { startPearlNode } from "../testkit/doubles/pearl-node/index.ts";
import { OWN_CERTIFICATE, OWN_KEY } from "../testkit/test-certificates.ts";

/** What the node says to the benchmark. */
export interface TlsNodeReady {
  readonly url: string;
}

const blocks = Number(process.argv[2] ?? "0");
let now = Math.floor(Date.now() / 1000) - blocks;
const node = await startPearlNode({
  rpcUser: "user",
  rpcPassword: "secret",
  miningScript: key(1).script,
  clock: () => now,
  tls: { key: OWN_KEY, cert: OWN_CERTIFICATE },
});
for (let mined = 0; mined < blocks; mined += 1) {
  now += 1;
  node.generate(1);
}
const ready: TlsNodeReady = { url: node.url };
process.send?.(ready);
process.on("disconnect", () => process.exit(0));
