// Answers RPC questions about blocks: counts, hashes, headers, blocks, tips.
import { certificateLength, HEADER_BYTES } from "../block-codec.ts";
import type { BlockNode } from "../block-index.ts";
import { concat, fromDisplay, toHex } from "../../../bytes.ts";
import { RPC, RpcFailure, type Arguments, type RpcContext, type RpcMethod } from "./method.ts";
import { headerShape, txShape } from "./shapes.ts";

const MAX_HEADERS = 100;

/** Reads a displayed hash parameter; throws -22 for anything else. */
export function hashArgument(text: string): string {
  if (fromDisplay(text) === null) {
    throw new RpcFailure(RPC.deserialization, `Argument must be hexadecimal string (not "${text}")`);
  }
  return text.toLowerCase();
}

function blockArgument(context: RpcContext, args: Arguments): BlockNode {
  const node = context.core.chain.index.get(hashArgument(args.string(0)));
  if (node === undefined) throw new RpcFailure(RPC.notFound, "Block not found");
  return node;
}

function activeOnly(context: RpcContext, node: BlockNode): void {
  if (!context.core.chain.index.isActive(node)) {
    throw new RpcFailure(
      RPC.internal,
      `block ${node.hash} is not in the main chain: Failed to obtain block height`,
    );
  }
}

function getBlock(context: RpcContext, args: Arguments): unknown {
  const node = blockArgument(context, args);
  const verbosity = args.number(1, 1);
  if (verbosity === 0) return toHex(context.faults.serveBlock(node.hash, node.raw));
  activeOnly(context, node);
  const block = context.core.chain.index.block(node);
  const { height, version, versionHex, merkleroot, ...rest } = headerShape(context.core, node);
  return {
    hash: node.hash,
    confirmations: 1 + context.core.chain.tip.height - node.height,
    size: node.raw.length,
    strippedsize: block.strippedSize,
    vsize: block.vsize,
    height,
    version,
    versionHex,
    merkleroot,
    ...(verbosity === 1
      ? { tx: block.txs.map((tx) => tx.txid) }
      : { rawtx: block.txs.map((tx) => txShape(context.core, tx, node)) }),
    ...rest,
  };
}

function headerBytes(node: BlockNode): Uint8Array {
  const start = certificateLength(node.raw) ?? 0;
  return node.raw.slice(start, start + HEADER_BYTES);
}

function getBlockHeader(context: RpcContext, args: Arguments): unknown {
  const node = blockArgument(context, args);
  if (!args.bool(1, true)) return toHex(headerBytes(node));
  activeOnly(context, node);
  return {
    hash: node.hash,
    confirmations: 1 + context.core.chain.tip.height - node.height,
    ...headerShape(context.core, node),
  };
}

function getHeaders(context: RpcContext, args: Arguments): unknown {
  const { index } = context.core.chain;
  const locators = args.list(0).map((entry) => hashArgument(String(entry)));
  const stop = args.string(1);
  const known = locators
    .map((hash) => index.get(hash))
    .find((node) => node !== undefined && index.isActive(node));
  const headers: string[] = [];
  for (let height = (known?.height ?? 0) + 1; headers.length < MAX_HEADERS; height += 1) {
    const node = index.at(height);
    if (node === undefined) break;
    const certificate = node.raw.slice(0, certificateLength(node.raw) ?? 0);
    headers.push(toHex(concat(certificate, headerBytes(node))));
    if (node.hash === stop) break;
  }
  return headers;
}

function getChainTips(context: RpcContext): unknown {
  const { chain } = context.core;
  return chain.tips().map((node) => {
    let fork: BlockNode = node;
    while (!chain.index.isActive(fork) && fork.parent !== null) fork = fork.parent;
    const branchlen = node.height - fork.height;
    const status = branchlen === 0 ? "active" : chain.isUsable(node) ? "valid-fork" : "invalid";
    return { height: node.height, hash: node.hash, branchlen, status };
  });
}

function getBlockHash(context: RpcContext, args: Arguments): unknown {
  const node = context.core.chain.index.at(args.number(0));
  if (node === undefined) throw new RpcFailure(RPC.misc, "Block number out of range");
  return node.hash;
}

function getBlockchainInfo(context: RpcContext): unknown {
  const { tip } = context.core.chain;
  const idle = {
    status: "defined",
    bit: 0,
    startTime: 0,
    start_time: 0,
    timeout: 0,
    since: 0,
    min_activation_height: 0,
  };
  return {
    chain: context.core.network.name,
    blocks: tip.height,
    headers: tip.height,
    bestblockhash: tip.hash,
    difficulty: 1,
    mediantime: tip.medianTime,
    pruned: false,
    bip9_softforks: {
      dummy: { ...idle, bit: 28 },
      "dummy-min-activation": { ...idle, bit: 22 },
      "dummy-always-active": { ...idle, bit: 30, status: "active" },
    },
  };
}

const HASH = { name: "Hash", type: "string" } as const;

/** Methods about the chain, by name. */
export const CHAIN_METHODS: ReadonlyMap<string, RpcMethod> = new Map<string, RpcMethod>([
  ["getblockcount", { params: [], limited: true, run: ({ core }) => core.chain.tip.height }],
  ["getbestblockhash", { params: [], limited: true, run: ({ core }) => core.chain.tip.hash }],
  [
    "getbestblock",
    {
      params: [],
      limited: true,
      run: ({ core }) => ({ hash: core.chain.tip.hash, height: core.chain.tip.height }),
    },
  ],
  ["getblockhash", { params: [{ name: "Index", type: "int" }], limited: true, run: getBlockHash }],
  [
    "getblock",
    { params: [HASH, { name: "Verbosity", type: "int", optional: true }], limited: true, run: getBlock },
  ],
  [
    "getblockheader",
    { params: [HASH, { name: "Verbose", type: "bool", optional: true }], limited: true, run: getBlockHeader },
  ],
  [
    "getheaders",
    {
      params: [
        { name: "BlockLocators", type: "[]string" },
        { name: "HashStop", type: "string" },
      ],
      limited: true,
      run: getHeaders,
    },
  ],
  ["getchaintips", { params: [], limited: true, run: getChainTips }],
  ["getblockchaininfo", { params: [], limited: false, run: getBlockchainInfo }],
  ["getdifficulty", { params: [], limited: true, run: () => 1 }],
]);
