#!/usr/bin/env node
// Answers as pearld to pearld's own flags, with the embedded node behind them: what starts, feeds and ends a pearld is
// tried by it where there is none. It proves nothing of pearld itself. By hand:
// `PEARLD=$PWD/testkit/doubles/consensus-node/stand-in-pearld.ts npm test -- third-party`.

import { parseArgs } from "node:util";
import { startPearlNode } from "../pearl-node/index.ts";

const { values } = parseArgs({
  options: {
    rpcuser: { type: "string", default: "" },
    rpcpass: { type: "string", default: "" },
    rpclisten: { type: "string", default: "127.0.0.1:0" },
  },
  // The other flags of pearld say where it keeps its chain and what it relays.
  strict: false,
});
const [host = "", port = ""] = String(values.rpclisten).split(":");
const node = await startPearlNode({
  host,
  port: Number(port),
  rpcUser: String(values.rpcuser),
  rpcPassword: String(values.rpcpass),
  // Blocks are handed in and never mined here.
  miningScript: new Uint8Array(0),
});
process.once("SIGTERM", () => void node.close().then(() => process.exit(0)));
