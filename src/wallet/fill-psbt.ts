// Gives a wallet that only knows PSBTs the fixed part of a fill: a BIP174 (version 0) PSBT with the anchor input,
// signed by the seller with type 0x83 but not finalised, and the outputs that the fill needs (H-35). The buyer's wallet
// adds its send reveal, its coins and its change.

import { base64, hex as hexCoder } from "@scure/base";
import { Transaction } from "@scure/btc-signer";

/** The anchor, the seller's signature and the outputs of one listing. Hex without 0x, amounts in grains. */
export interface FillTemplate {
  /** Display order, 64 hex digits. */
  readonly anchorTxid: string;
  readonly anchorVout: number;
  readonly anchorAmountSat: bigint;
  readonly anchorScriptHex: string;
  /** 65 bytes: the signature and 0x83. */
  readonly signatureHex: string;
  /** The seller's output, then the protocol fee's where it is not 0. */
  readonly outputs: readonly { readonly scriptHex: string; readonly amountSat: bigint }[];
}

/**
 * The PSBT in base64: one input (witness UTXO, sighash type 0x83, PSBT_IN_TAP_KEY_SIG), the outputs in order,
 * transaction version 2, lock time 0, sequence 0xffffffff. Output scripts are taken as they are (P-22 does not
 * ask for a point on the curve). @throws for hex that is none or a signature that has not 65 bytes.
 */
export function fillTemplatePsbt(template: FillTemplate): string {
  // The scripts come from the chain, not from a user: nothing is gained by refusing one that the library
  // does not recognise.
  const tx = new Transaction({
    version: 2,
    lockTime: 0,
    allowUnknownOutputs: true,
    allowUnknownInputs: true,
  });
  if (template.signatureHex.length !== 130) throw new RangeError("the anchor's signature has 65 bytes");
  tx.addInput(
    {
      txid: template.anchorTxid,
      index: template.anchorVout,
      sequence: 0xffffffff,
      witnessUtxo: { amount: template.anchorAmountSat, script: hexBytes(template.anchorScriptHex) },
      sighashType: 0x83,
      tapKeySig: hexBytes(template.signatureHex),
    },
    true,
  );
  for (const output of template.outputs) {
    // The signature already there covers only the first output; the library would otherwise see the
    // transaction as signed and closed.
    tx.addOutput({ script: hexBytes(output.scriptHex), amount: output.amountSat }, true);
  }
  return base64.encode(tx.toPSBT(0));
}

function hexBytes(text: string): Uint8Array {
  return hexCoder.decode(text.toLowerCase());
}
