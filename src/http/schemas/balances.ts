// How do balances look on the wire? (interface §2.6, H-31, H-38)

import { Type } from "typebox";
import { address, amount, ticker } from "./values.ts";

const balanceFields = {
  tick: ticker(),
  dec: Type.String({ pattern: "^(0|[1-9]|1[0-8])$", description: "Decimals." }),
  balance: amount("Spendable raw units."),
  balance_normalized: Type.String({ description: "balance as a decimal, trailing zeros cut." }),
  locked: amount("Raw units in the address's open listings."),
  locked_normalized: Type.String({ description: "locked as a decimal, trailing zeros cut." }),
  total: amount("balance + locked."),
};

/** Row of address/{address}/tokenlist and address/{address}/token/{tick}. */
export const BalanceRow = Type.Object(balanceFields);

/** Row of balances. */
export const AddressBalanceRow = Type.Object({ address: address("Holder."), ...balanceFields });
