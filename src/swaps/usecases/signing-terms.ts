// What must a wallet know to sign (H-44)? Domain, types, contract and limits in force.

import { DOMAIN_NAME, DOMAIN_VERSION, TYPED_DATA } from "../../swap/eip712.ts";
import { profileRow } from "../../swap/rows.ts";
import { EVM_REFUND_MAX_S } from "../../swap/take-terms.ts";
import { refusal } from "./messages.ts";
import { answer, type SwapOutcome } from "./outcome.ts";
import { leastAskUsdc, type SwapParts } from "./parts.ts";

/** The object of H-44; a 503 before the contract was asked and its fee is indexed. */
export function signingTerms({ ledger, rules, escrow: ask, limits }: SwapParts): SwapOutcome {
  const escrow = ask();
  if (escrow === null) return refusal("EVM_RPC_UNAVAILABLE");
  const fee = ledger.fee();
  if (fee === null) return refusal("INDEXER_NOT_SYNCED", { escrow_fee: "not indexed yet" });
  return answer({
    domain: {
      name: DOMAIN_NAME,
      version: DOMAIN_VERSION,
      chainId: rules.chainId,
      verifyingContract: rules.escrow,
    },
    types: TYPED_DATA,
    escrow: {
      address: rules.escrow,
      chain_id: rules.chainId,
      first_block: escrow.firstBlock,
      usdc: escrow.usdc,
      min_usdc_amount: escrow.minUsdc.toString(),
      fee_bps: fee.feeBps,
      fee_recipient: fee.feeRecipient,
      abi: escrow.abi,
    },
    limits: {
      margin_s: rules.deltaS,
      evm_refund_max_s: EVM_REFUND_MAX_S,
      min_usdc_amount: leastAskUsdc(limits, escrow).toString(),
      small_deal_usdc: rules.smallDealUsdc.toString(),
      profiles: [profileRow(rules.large), profileRow(rules.small)],
    },
  });
}
