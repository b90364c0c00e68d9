// Which flags has `strand deploy-escrow`? Apart from their reader, so that the help loads no library.

/** Flags with a line each, for the help. */
export const DEPLOY_FLAGS: readonly (readonly [flag: string, what: string])[] = [
  ["--rpc <url>", "http(s) address of a node of the chain."],
  ["--fee-recipient <address>", "who may withdraw the fees of future orders."],
  ["--fee-bps <0-500>", "fee of future orders in basis points. Default: 200."],
  ["--min-usdc <raw units>", "least USDC of an order, fixed for ever. Default: 1000000 (1 USDC)."],
  ["--usdc <address>", "the token, 6 decimals, fixed for ever; or"],
  ["--dev-usdc", "deploy a token first that anybody can mint; on chain id 31337 only."],
  ["--from <address>", "an account that the node has unlocked; or"],
  ["--key-stdin", "sign here with the key that stands on the first line of standard input, 64 hex digits."],
];
