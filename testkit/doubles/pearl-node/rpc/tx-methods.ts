// Answers RPC questions about transactions, and takes the transactions that are handed to the node.
import { decodeAddress, programScript, scriptAddress } from "../address.ts";
import type { BlockNode } from "../block-index.ts";
import { fromHex, toHex } from "../../../bytes.ts";
import type { Coin } from "../coins.ts";
import type { PearlCore } from "../core.ts";
import { outpointKey, parseTransaction, type NodeTx } from "../transaction.ts";
import type { Reject, RejectKind } from "../verdict.ts";
import { hashArgument } from "./chain-methods.ts";
import { RPC, RpcFailure, type Arguments, type RpcContext, type RpcMethod } from "./method.ts";
import { placeShape, prl, scriptShape, txShape, vinShape, voutShape } from "./shapes.ts";

const REJECT_CODES: Readonly<Record<RejectKind, number>> = {
  policy: RPC.rejected,
  consensus: RPC.verify,
  orphan: RPC.verify,
  known: RPC.alreadyInChain,
  decode: RPC.deserialization,
};

const DEFAULT_MAX_FEE_RATE = 0.1;
const MAX_SEARCH_COUNT = 10_000;

function decodeTx(hex: string): NodeTx {
  const bytes = fromHex(hex.length % 2 === 0 ? hex : `0${hex}`);
  if (bytes === null)
    throw new RpcFailure(RPC.deserialization, `Argument must be hexadecimal string (not "${hex}")`);
  const parsed = parseTransaction(bytes);
  if (!parsed.ok) throw new RpcFailure(RPC.deserialization, `TX decode failed: ${parsed.reject.message}`);
  return parsed.value;
}

/** The RPC code of a refused transaction. */
export function rejectCode(reject: Reject): number {
  return REJECT_CODES[reject.kind];
}

function sendRawTransaction({ core }: RpcContext, args: Arguments): unknown {
  const tx = decodeTx(args.string(0));
  const taken = core.submitTransaction(toHex(tx.raw));
  if (!taken.ok) throw new RpcFailure(rejectCode(taken.reject), `TX rejected: ${taken.reject.message}`);
  return tx.txid;
}

function testMempoolAccept({ core }: RpcContext, args: Arguments): unknown {
  const maxRate = args.number(1) === 0 ? DEFAULT_MAX_FEE_RATE : args.number(1);
  const txs = args.list(0).map((hex) => decodeTx(String(hex)));
  return txs.map((tx) => {
    const base = { txid: tx.txid, wtxid: tx.wtxid, "package-error": "" };
    const checked = core.mempool.check(tx);
    if (!checked.ok) {
      const orphan = checked.reject.kind === "orphan";
      return { ...base, "reject-reason": orphan ? "missing-inputs" : checked.reject.message };
    }
    const rate = prl((checked.value.fee * 1000n) / BigInt(tx.vsize));
    if (rate > maxRate) return { ...base, "reject-reason": "max-fee-exceeded" };
    const fees = { base: prl(checked.value.fee), "effective-feerate": rate, "effective-includes": null };
    return { ...base, allowed: true, vsize: tx.vsize, fees };
  });
}

/** A transaction from the mempool or the active chain. */
function findTx(core: PearlCore, txid: string): { tx: NodeTx; block: BlockNode | undefined } | undefined {
  const waiting = core.mempool.get(txid);
  if (waiting !== undefined) return { tx: waiting.tx, block: undefined };
  const place = core.chain.index.place(txid);
  const tx = place === undefined ? undefined : core.chain.index.block(place.block).txs[place.position];
  return place === undefined || tx === undefined ? undefined : { tx, block: place.block };
}

function getRawTransaction({ core }: RpcContext, args: Arguments): unknown {
  const txid = hashArgument(args.string(0));
  const found = findTx(core, txid);
  if (found === undefined)
    throw new RpcFailure(RPC.notFound, `No information available about transaction ${txid}`);
  return args.number(1) === 0 ? toHex(found.tx.raw) : txShape(core, found.tx, found.block);
}

function getTxOut({ core }: RpcContext, args: Arguments): unknown {
  const txid = hashArgument(args.string(0));
  const index = args.number(1);
  const { tip } = core.chain;
  const { hrp } = core.network;
  const waiting = args.bool(2, true) ? core.mempool.get(txid) : undefined;
  if (waiting !== undefined) {
    const out = waiting.tx.tx.outs[index];
    if (out === undefined)
      throw new RpcFailure(
        RPC.invalidParameter,
        "Output index number (vout) does not exist for transaction.",
      );
    const scriptPubKey = scriptShape(out.script, hrp);
    return { bestblock: tip.hash, confirmations: 0, value: prl(out.value), scriptPubKey, coinbase: false };
  }
  const coin = core.chain.coins.get(outpointKey(txid, index));
  if (coin === undefined) return null;
  return {
    bestblock: tip.hash,
    confirmations: 1 + tip.height - coin.height,
    value: prl(coin.value),
    scriptPubKey: scriptShape(coin.script, hrp),
    coinbase: coin.coinbase,
  };
}

function outpointOf(entry: unknown): { txid?: unknown; vout?: unknown } {
  return typeof entry === "object" && entry !== null ? entry : {};
}

function getTxSpendingPrevOut({ core }: RpcContext, args: Arguments): unknown {
  return args.list(0).map((entry) => {
    const { txid: text, vout } = outpointOf(entry);
    if (typeof text !== "string" || typeof vout !== "number") {
      throw new RpcFailure(RPC.invalidParams, "parameter #1 'Outputs' must be objects of txid and vout");
    }
    const txid = hashArgument(text);
    const spendingtxid = core.mempool.spender(outpointKey(txid, vout));
    return { txid, vout, ...(spendingtxid === undefined ? {} : { spendingtxid }) };
  });
}

/** Coins that a found transaction spends, from the block's undo record or the mempool entry. */
function spentCoins(core: PearlCore, txid: string): readonly Coin[] {
  const place = core.chain.index.place(txid);
  return place === undefined
    ? (core.mempool.get(txid)?.coins ?? [])
    : (place.block.undo?.[place.position] ?? []);
}

function involves(tx: NodeTx, coins: readonly Coin[], scriptHex: string): boolean {
  return (
    coins.some((coin) => toHex(coin.script) === scriptHex) ||
    tx.tx.outs.some((out) => toHex(out.script) === scriptHex)
  );
}

function searchRawTransactions({ core }: RpcContext, args: Arguments): unknown {
  const count = args.number(3, 100);
  if (count > MAX_SEARCH_COUNT)
    throw new RpcFailure(RPC.invalidParameter, `Count exceeds maximum allowed (${MAX_SEARCH_COUNT})`);
  if (count === 0) return null;
  const address = decodeAddress(args.string(0), core.network.hrp);
  if (address === null)
    throw new RpcFailure(RPC.notFound, "Invalid address or key: decoded address is of unknown format");
  const script = toHex(programScript(address));
  const waiting = [...core.mempool.entries()]
    .filter((entry) => involves(entry.tx, entry.coins, script))
    .map((entry) => entry.tx.txid);
  const mined = core.chain.index.history(script);
  const ordered = args.bool(5) ? [...waiting, ...mined.toReversed()] : [...mined, ...waiting];
  const skip = Math.max(args.number(2), 0);
  const page = ordered.slice(skip, skip + Math.max(count, 1));
  if (page.length === 0) throw new RpcFailure(RPC.notFound, "No information available about address");
  const filter = new Set(args.list(6).map(String));
  return page.map((txid) => {
    const found = findTx(core, txid);
    if (found === undefined) throw new Error(`the address index names an unknown transaction ${txid}`);
    return args.number(1, 1) === 0
      ? toHex(found.tx.raw)
      : searchShape(core, found, args.number(4) !== 0, filter);
  });
}

function searchShape(
  core: PearlCore,
  found: { tx: NodeTx; block: BlockNode | undefined },
  vinExtra: boolean,
  filter: ReadonlySet<string>,
): Record<string, unknown> {
  const { tx, block } = found;
  const { hrp } = core.network;
  const coins = spentCoins(core, tx.txid);
  const passes = (script: Uint8Array): boolean => {
    const address = scriptAddress(script, hrp);
    return filter.size === 0 || (address !== null && filter.has(address));
  };
  const vin = vinShape(tx, hrp, vinExtra ? coins : []).filter((_input, index) => {
    const coin = coins[index];
    return coin === undefined ? filter.size === 0 : passes(coin.script);
  });
  return {
    hex: toHex(tx.raw),
    txid: tx.txid,
    // pearld leaves these three empty in this answer.
    hash: "",
    size: "",
    vsize: "",
    version: tx.tx.version >>> 0,
    locktime: tx.tx.locktime,
    vin,
    vout: voutShape(tx, hrp).filter((_out, index) => passes(tx.tx.outs[index]?.script ?? new Uint8Array(0))),
    ...placeShape(core, block),
  };
}

function decodeRawTransaction({ core }: RpcContext, args: Arguments): unknown {
  const tx = decodeTx(args.string(0));
  const { hrp } = core.network;
  return {
    txid: tx.txid,
    version: tx.tx.version >>> 0,
    locktime: tx.tx.locktime,
    vin: vinShape(tx, hrp),
    vout: voutShape(tx, hrp),
  };
}

const TXID = { name: "Txid", type: "string" } as const;
const HEX = { name: "HexTx", type: "string" } as const;

/** Methods about transactions, by name. */
export const TX_METHODS: ReadonlyMap<string, RpcMethod> = new Map<string, RpcMethod>([
  [
    "sendrawtransaction",
    // The second parameter (a fee limit or a flag, by client) is ignored by pearld whatever it is.
    {
      params: [HEX, { name: "FeeSetting", type: "any", optional: true }],
      limited: true,
      run: sendRawTransaction,
    },
  ],
  [
    "testmempoolaccept",
    {
      params: [
        { name: "RawTxns", type: "[]string" },
        { name: "MaxFeeRate", type: "float64", optional: true },
      ],
      limited: false,
      run: testMempoolAccept,
    },
  ],
  [
    "getrawtransaction",
    {
      params: [TXID, { name: "Verbose", type: "int", optional: true }],
      limited: true,
      run: getRawTransaction,
    },
  ],
  [
    "gettxout",
    {
      params: [
        TXID,
        { name: "Vout", type: "uint32" },
        { name: "IncludeMempool", type: "bool", optional: true },
      ],
      limited: true,
      run: getTxOut,
    },
  ],
  [
    "gettxspendingprevout",
    { params: [{ name: "Outputs", type: "[]object" }], limited: false, run: getTxSpendingPrevOut },
  ],
  [
    "searchrawtransactions",
    {
      params: [
        { name: "Address", type: "string" },
        { name: "Verbose", type: "int", optional: true },
        { name: "Skip", type: "int", optional: true },
        { name: "Count", type: "int", optional: true },
        { name: "VinExtra", type: "int", optional: true },
        { name: "Reverse", type: "bool", optional: true },
        { name: "FilterAddrs", type: "[]string", optional: true },
      ],
      limited: true,
      run: searchRawTransactions,
    },
  ],
  ["decoderawtransaction", { params: [HEX], limited: true, run: decodeRawTransaction }],
]);
