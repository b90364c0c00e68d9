// Endpoints of the transactions that moved swaps: those of one deal on both chains, and what a transaction of either
// chain did, however old it is.

import { Type } from "typebox";
import type { Bytes32 } from "../../../primitives/brands.ts";
import { type CursorBinding, pageLinks } from "../../cursor.ts";
import { answer, invalidFields } from "../../../swaps/usecases/outcome.ts";
import { pageParameters } from "../../schemas/parameters.ts";
import { listOf, SWAP_EXAMPLES } from "../../schemas/swap-examples.ts";
import { DealTransactionsSchema, swapList, swapObject, SwapTransactionSchema } from "../../schemas/swaps.ts";
import { hashOf, hashParameter, NO_PARAMETERS, pageOfSwaps, swapReader } from "./swap-parameters.ts";
import type { SwapRoute } from "./swap-route.ts";

/** A transaction of either chain: 64 hex digits of any case, with or without 0x (S-06). */
export const transactionParameter = Type.String({
  pattern: "^(0x)?[0-9a-fA-F]{64}$",
  description: "Hash of an EVM transaction or id of a PEARL one, any letter case, with or without 0x.",
  "x-expected": "a transaction's hash or id: 64 hex digits, with or without 0x",
});

/** What the parameter names, in lower case and with 0x, whichever chain it is of. */
export function transactionHashOf(text: string): Bytes32 {
  const lower = text.toLowerCase();
  return (lower.startsWith("0x") ? lower : `0x${lower}`) as Bytes32;
}

/** The step by which a PEARL transaction locked. */
const EXAMPLE = {
  deal_hash: SWAP_EXAMPLES.dealRow.deal_hash,
  chain: "pearl",
  txid: SWAP_EXAMPLES.dealRow.pearl_lock_txid,
  action: "lock_pearl",
  amount: "500000000000",
  outputs: 1,
  height: 4000,
  block_hash: "4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4b",
  time: 1799984000,
  confirmations: 9,
  final: true,
} as const;

const ofDeal: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/deals/{deal_hash}/transactions",
  name: "dealTransactions",
  summary: "The transactions of both chains that moved an order or deal",
  params: Type.Object({ deal_hash: hashParameter("Hash of any order or take.") }),
  query: NO_PARAMETERS,
  response: swapObject(DealTransactionsSchema),
  example: {
    ok: true,
    deal_hash: EXAMPLE.deal_hash,
    transactions: [EXAMPLE],
  },
  errors: ["INVALID_REQUEST", "DEAL_NOT_FOUND"],
  run: (service, request) => service.transactionsOf(hashOf(request.param("deal_hash"))),
};

const readPage = swapReader(Type.Object(pageParameters));

const one: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/transactions/{hash}",
  name: "swapTransaction",
  summary: "What a transaction of either chain did in swaps, by deal hash",
  params: Type.Object({ hash: transactionParameter }),
  query: Type.Object(pageParameters),
  response: swapList(SwapTransactionSchema),
  example: listOf(EXAMPLE),
  errors: ["INVALID_REQUEST", "CURSOR_INVALID"],
  async run(service, request) {
    const hash = transactionHashOf(request.param("hash"));
    const query = readPage(request.query);
    if (!query.ok) return invalidFields(query.error);
    const binding: CursorBinding = { list: "swapTransactions", scope: ["swapTransactions", hash] };
    const page = pageOfSwaps(query.value, binding);
    if (!page.ok) return page.error;
    const { rows, ...keys } = await service.lists.transaction(hash, page.value);
    return answer({ result: rows, ...pageLinks(keys, binding) });
  },
};

/** The endpoints of transactions. */
export const SWAP_TRANSACTION_ROUTES: readonly SwapRoute[] = [ofDeal, one];
