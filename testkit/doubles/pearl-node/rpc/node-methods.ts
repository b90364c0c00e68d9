// Answers the other RPC questions: mempool listings, the node itself, addresses, mining, and the tools that force
// reorganisations.
import { decodeAddress } from "../address.ts";
import { parseBlock } from "../block-codec.ts";
import { fromHex, toHex } from "../../../bytes.ts";
import type { PearlCore } from "../core.ts";
import { hashArgument } from "./chain-methods.ts";
import { RPC, RpcFailure, type Arguments, type RpcContext, type RpcMethod } from "./method.ts";
import { disassemble, prl, scriptShape } from "./shapes.ts";

const NODE_VERSION = 1_040_800;
const PROTOCOL_VERSION = 70_016;
const RELAY_FEE = 0.00001;
const FEE_BLOCKS_NEEDED = 3;
const FEE_BLOCKS_USED = 25;

function getRawMempool({ core }: RpcContext, args: Arguments): unknown {
  const entries = [...core.mempool.entries()];
  if (!args.bool(0)) return entries.map((entry) => entry.tx.txid);
  return Object.fromEntries(
    entries.map(({ tx, fee, time, height, parents }) => [
      tx.txid,
      { size: tx.size, vsize: tx.vsize, fee: prl(fee), time, height, depends: [...parents] },
    ]),
  );
}

function getMempoolInfo({ core }: RpcContext): unknown {
  let bytes = 0;
  for (const entry of core.mempool.entries()) bytes += entry.tx.size;
  return { size: core.mempool.size, bytes, cap: 300_000_000 };
}

function getInfo({ core, connections }: RpcContext): unknown {
  return {
    version: NODE_VERSION,
    protocolversion: PROTOCOL_VERSION,
    blocks: core.chain.tip.height,
    timeoffset: 0,
    connections: connections(),
    proxy: "",
    difficulty: 1,
    testnet: false,
    relayfee: RELAY_FEE,
    errors: "",
  };
}

function getNetworkInfo({ connections }: RpcContext): unknown {
  return {
    version: NODE_VERSION,
    subversion: "/pearlwire:0.5.0/pearld:1.4.8/",
    protocolversion: PROTOCOL_VERSION,
    localservices: "000000000000004d",
    localservicesnames: ["SFNodeNetwork", "SFNodeBloom", "SFNodeWitness", "SFNodeCF"],
    localrelay: true,
    timeoffset: 0,
    connections: connections(),
    connections_in: 0,
    connections_out: connections(),
    networkactive: true,
    networks: [],
    relayfee: RELAY_FEE,
    incrementalfee: RELAY_FEE,
    localaddresses: [],
    warnings: [],
  };
}

function validateAddress({ core }: RpcContext, args: Arguments): unknown {
  const text = args.string(0);
  const decoded = decodeAddress(text, core.network.hrp);
  if (decoded === null) return { isvalid: false };
  return {
    isvalid: true,
    address: text.toLowerCase(),
    iswitness: true,
    witness_version: decoded.version,
    witness_program: toHex(decoded.program),
  };
}

function decodeScript({ core }: RpcContext, args: Arguments): unknown {
  const script = fromHex(args.string(0));
  if (script === null)
    throw new RpcFailure(
      RPC.deserialization,
      `Argument must be hexadecimal string (not "${args.string(0)}")`,
    );
  const { hex: _hex, ...shape } = scriptShape(script, core.network.hrp);
  return { ...shape, asm: disassemble(script) };
}

function generate({ core }: RpcContext, args: Arguments): unknown {
  const count = args.number(0);
  if (count === 0)
    throw new RpcFailure(RPC.internal, "Please request a nonzero number of blocks to generate.");
  return core.generate(count);
}

function submitBlock({ core }: RpcContext, args: Arguments): unknown {
  const text = args.string(0);
  const bytes = fromHex(text.length % 2 === 0 ? text : `0${text}`);
  if (bytes === null)
    throw new RpcFailure(RPC.deserialization, `Argument must be hexadecimal string (not "${text}")`);
  const parsed = parseBlock(bytes);
  if (!parsed.ok) throw new RpcFailure(RPC.deserialization, `Block decode failed: ${parsed.reject.message}`);
  const taken = core.submitBlock(bytes);
  return taken.ok ? null : `rejected: ${taken.reject.message}`;
}

/** pearld answers a plain Go error of a handler with this text and code. */
function malformed(): RpcFailure {
  return new RpcFailure(RPC.invalidRequest, "Invalid request: malformed");
}

function invalidateBlock({ core }: RpcContext, args: Arguments): unknown {
  if (!core.invalidate(hashArgument(args.string(0)))) throw malformed();
  return null;
}

function reconsiderBlock({ core }: RpcContext, args: Arguments): unknown {
  if (!core.reconsider(hashArgument(args.string(0)))) throw malformed();
  return null;
}

/** Median fee rate (grains/kvB) paid in the last blocks, as far as their undo records tell; null when nobody paid. */
function medianFeeRate(core: PearlCore): number | null {
  const rates: number[] = [];
  for (
    let height = core.chain.tip.height;
    height > 0 && height > core.chain.tip.height - FEE_BLOCKS_USED;
    height -= 1
  ) {
    const node = core.chain.index.at(height);
    if (node === undefined) break;
    for (const [position, tx] of core.chain.index.block(node).txs.entries()) {
      if (position === 0) continue;
      const inputs = (node.undo?.[position] ?? []).reduce((sum, coin) => sum + coin.value, 0n);
      const outputs = tx.tx.outs.reduce((sum, out) => sum + out.value, 0n);
      rates.push(Number(((inputs - outputs) * 1000n) / BigInt(tx.vsize)));
    }
  }
  rates.sort((a, b) => a - b);
  return rates[rates.length >> 1] ?? null;
}

function estimateFee({ core }: RpcContext): unknown {
  if (core.chain.tip.height < FEE_BLOCKS_NEEDED) {
    throw new RpcFailure(RPC.misc, "not enough blocks have been observed");
  }
  const rate = medianFeeRate(core);
  return rate === null ? RELAY_FEE : rate / 1e8;
}

const ADDRESS = { name: "Address", type: "string" } as const;
const BLOCK_HASH = { name: "BlockHash", type: "string" } as const;

/** Methods about the node, the mempool and mining, by name. */
export const NODE_METHODS: ReadonlyMap<string, RpcMethod> = new Map<string, RpcMethod>([
  [
    "getrawmempool",
    { params: [{ name: "Verbose", type: "bool", optional: true }], limited: true, run: getRawMempool },
  ],
  ["getmempoolinfo", { params: [], limited: false, run: getMempoolInfo }],
  ["getcurrentnet", { params: [], limited: true, run: ({ core }) => core.network.magic }],
  ["getinfo", { params: [], limited: true, run: getInfo }],
  ["getnetworkinfo", { params: [], limited: false, run: getNetworkInfo }],
  ["getconnectioncount", { params: [], limited: false, run: ({ connections }) => connections() }],
  ["validateaddress", { params: [ADDRESS], limited: true, run: validateAddress }],
  ["decodescript", { params: [{ name: "HexScript", type: "string" }], limited: true, run: decodeScript }],
  ["generate", { params: [{ name: "NumBlocks", type: "uint32" }], limited: false, run: generate }],
  [
    "submitblock",
    {
      params: [
        { name: "HexBlock", type: "string" },
        { name: "Options", type: "any", optional: true },
      ],
      limited: true,
      run: submitBlock,
    },
  ],
  ["invalidateblock", { params: [BLOCK_HASH], limited: true, run: invalidateBlock }],
  ["reconsiderblock", { params: [BLOCK_HASH], limited: true, run: reconsiderBlock }],
  ["estimatefee", { params: [{ name: "NumBlocks", type: "int" }], limited: true, run: estimateFee }],
  [
    "version",
    {
      params: [],
      limited: true,
      run: () => ({
        pearldjsonrpcapi: {
          versionstring: "1.3.0",
          major: 1,
          minor: 3,
          patch: 0,
          prerelease: "",
          buildmetadata: "",
        },
      }),
    },
  ],
  ["uptime", { params: [], limited: true, run: ({ core }) => core.chain.now() - core.startedAt }],
]);
