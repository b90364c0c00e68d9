// Shows blocks and transactions as pearld's verbose answers do, with its field names, order and omissions.
import { opcodes, script as bscript } from "bitcoinjs-lib";
import { scriptAddress } from "../address.ts";
import { toHex } from "../../../bytes.ts";
import type { BlockNode } from "../block-index.ts";
import type { Coin } from "../coins.ts";
import type { PearlCore } from "../core.ts";
import { outputClass, type NodeTx } from "../transaction.ts";

/** Grains as the float of PRL that pearld answers. */
export function prl(grains: bigint): number {
  return Number(grains) / 1e8;
}

/** The library's table maps both ways; only name → code is wanted here. */
const OPCODE_NAMES = new Map<number, string>(
  Object.entries(opcodes).flatMap(([name, code]) => (typeof code === "number" ? [[code, name]] : [])),
);

/** One-line text of a script as btcd writes it: pushes in hex, small numbers as digits. */
export function disassemble(script: Uint8Array): string {
  const chunks = bscript.decompile(script);
  if (chunks === null) return "[error]";
  return chunks
    .map((chunk) => {
      if (typeof chunk !== "number") return toHex(chunk);
      if (chunk === 0) return "0";
      if (chunk === 0x4f) return "-1";
      if (chunk >= 0x51 && chunk <= 0x60) return `${chunk - 0x50}`;
      return OPCODE_NAMES.get(chunk) ?? `OP_UNKNOWN${chunk}`;
    })
    .join(" ");
}

/** `scriptPubKey` member of an output. */
export function scriptShape(script: Uint8Array, hrp: string): Record<string, unknown> {
  const address = scriptAddress(script, hrp);
  return {
    asm: disassemble(script),
    hex: toHex(script),
    ...(address === null ? {} : { reqSigs: 1 }),
    type: outputClass(script),
    ...(address === null ? {} : { address, addresses: [address] }),
  };
}

/** `vin` of a transaction. `coins`, where given, add `prevOut` (searchrawtransactions with vinextra). */
export function vinShape(tx: NodeTx, hrp: string, coins?: readonly Coin[]): Record<string, unknown>[] {
  return tx.tx.ins.map((input, index) => {
    const witness = input.witness.map(toHex);
    if (tx.tx.isCoinbase()) {
      const base = { coinbase: toHex(input.script), sequence: input.sequence };
      return witness.length === 0 || coins !== undefined ? base : { ...base, witness };
    }
    const coin = coins?.[index];
    const address = coin === undefined ? null : scriptAddress(coin.script, hrp);
    const [txid, vout] = (tx.spends[index] ?? "").split(":");
    return {
      txid,
      vout: Number(vout),
      scriptSig: { asm: disassemble(input.script), hex: toHex(input.script) },
      ...(witness.length === 0 ? {} : { txinwitness: witness }),
      ...(coin === undefined
        ? {}
        : { prevOut: { ...(address === null ? {} : { addresses: [address] }), value: prl(coin.value) } }),
      sequence: input.sequence,
    };
  });
}

/** `vout` of a transaction. */
export function voutShape(tx: NodeTx, hrp: string): Record<string, unknown>[] {
  return tx.tx.outs.map((out, n) => ({
    value: prl(out.value),
    n,
    scriptPubKey: scriptShape(out.script, hrp),
  }));
}

/** Members of a transaction that is in the active chain; empty for one in the mempool. */
export function placeShape(core: PearlCore, block: BlockNode | undefined): Record<string, unknown> {
  if (block === undefined) return {};
  return {
    blockhash: block.hash,
    confirmations: 1 + core.chain.tip.height - block.height,
    time: block.header.time,
    blocktime: block.header.time,
  };
}

/** Transaction object of `getrawtransaction … 1` and of `rawtx`. */
export function txShape(core: PearlCore, tx: NodeTx, block: BlockNode | undefined): Record<string, unknown> {
  const { hrp } = core.network;
  return {
    hex: toHex(tx.raw),
    txid: tx.txid,
    hash: tx.wtxid,
    size: tx.size,
    vsize: tx.vsize,
    version: tx.tx.version >>> 0,
    locktime: tx.tx.locktime,
    vin: vinShape(tx, hrp),
    vout: voutShape(tx, hrp),
    ...placeShape(core, block),
  };
}

/** Members that verbose headers and verbose blocks of the active chain share. */
export function headerShape(core: PearlCore, node: BlockNode): Record<string, unknown> {
  const next = core.chain.index.at(node.height + 1);
  const { header } = node;
  return {
    height: node.height,
    version: header.version,
    versionHex: (header.version >>> 0).toString(16).padStart(8, "0"),
    merkleroot: header.merkleRoot,
    time: header.time,
    bits: header.bits.toString(16),
    difficulty: 1,
    previousblockhash: header.previous,
    ...(next === undefined ? {} : { nextblockhash: next.hash }),
    proofcommitment: header.proofCommitment,
  };
}
