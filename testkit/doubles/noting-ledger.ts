// A ledger as far as a reader's goes that is told when balances were looked up: it notes that, and nothing else.

/** A ledger that notes in `balances` when the balance of an address was looked up; null takes an address out. */
export function notingLedger(balances: Map<string, number>) {
  return {
    addressesSeen: () => balances.keys(),
    noteBalanceSeen: (address: string, at: number | null) =>
      void (at === null ? balances.delete(address) : balances.set(address, at)),
  };
}
