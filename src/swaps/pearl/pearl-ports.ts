// What swaps ask of the PEARL node beyond following it: balances of addresses (S-34).

/** A balance that cannot be told (S-34: `BALANCE_UNAVAILABLE`); the message says why and names the request. */
export class BalanceUnavailable extends Error {
  override readonly name = "BalanceUnavailable";
}
