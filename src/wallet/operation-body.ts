// Writes the text that an operation inscribes: one JSON object of strings (P-13, P-23), with the marker as `p`, the
// operation as `op`, then its fields.

/** The fields of each operation, as P-40 to P-60 name them: decimal strings, bech32m addresses, tickers. */
export interface OperationFields {
  readonly deploy: {
    readonly tick: string;
    readonly max: string;
    readonly lim?: string;
    readonly pre?: string;
    readonly dec?: string;
    readonly cid?: string;
    readonly to?: string;
  };
  readonly mint: { readonly tick: string; readonly amt?: string; readonly to?: string };
  readonly transfer: { readonly tick: string; readonly amt: string; readonly to: string };
  readonly burn: { readonly tick: string; readonly amt: string };
  readonly list: {
    readonly tick: string;
    readonly amt: string;
    readonly price: string;
    readonly pay?: string;
    readonly exp?: string;
    readonly seller?: string;
  };
  readonly send: { readonly id: string; readonly to?: string };
}

/** The body of an operation. Nothing is checked: whether it is valid is for the chain's state to say. */
export function operationBody<Kind extends keyof OperationFields>(
  marker: string,
  op: Kind,
  fields: OperationFields[Kind],
): string {
  return JSON.stringify({ p: marker, op, ...fields });
}
