// Breaks of P-20 to P-24: amounts, tickers, addresses, field types, unknown operations.

import { type Break, inFile } from "./break.ts";

const amount = inFile("src/primitives/amount.ts", [
  {
    rule: "P-20",
    find: "/^(?:0|[1-9][0-9]{0,38})$/",
    replace: "/^(?:[0-9]{1,39})$/",
    why: "leading zeros are taken",
  },
  {
    rule: "P-20",
    find: "/^(?:0|[1-9][0-9]{0,38})$/",
    replace: "/^(?:0|[1-9][0-9]{0,37})$/",
    why: "amounts of 39 digits are refused",
  },
  {
    rule: "P-20",
    find: "/^(?:0|[1-9][0-9]{0,38})$/",
    replace: "/^(?:0|-?[1-9][0-9]{0,38})$/",
    why: "negative amounts are taken",
  },

  {
    rule: "P-20",
    find: "value <= AMOUNT_MAX ?",
    replace: "value <= AMOUNT_MAX + 1n ?",
    why: "2^128 is taken",
  },
  {
    rule: "P-20",
    find: "const value = BigInt(text);",
    replace: "const value = BigInt(Number(text));",
    why: "amounts pass through floating point",
  },
  {
    rule: "H-01",
    find: "padStart(9,",
    replace: "padStart(8,",
    why: "a PEARL amount below 1 loses its leading zero",
  },
]);

const address = inFile("src/primitives/address.ts", [
  {
    rule: "P-22",
    find: "const BECH32M = 0x2bc830a3;",
    replace: "const BECH32M = 1;",
    why: "bech32 instead of bech32m",
  },

  {
    rule: "P-22",
    find: "lastData & 15) =",
    replace: "lastData & 7) =",
    why: "a padding bit may be set",
  },

  {
    rule: "P-22",
    find: "(lower as PearlAddress)",
    replace: "(text as PearlAddress)",
    why: "rows show upper case, and one owner has two names",
  },

  {
    rule: "P-15",
    find: "startChecksum(hrp), 1);",
    replace: "startChecksum(hrp), 2);",
    why: "the sender's address has the checksum of version 2",
  },
]);

const fields = inFile("src/prc20/fields.ts", [
  {
    rule: "P-21",
    find: "/^[A-Za-z0-9]{1,16}$/",
    replace: "/^[A-Za-z0-9]{1,17}$/",
    why: "a ticker of 17 characters is taken",
  },
  {
    rule: "P-21",
    find: "/^[A-Za-z0-9]{1,16}$/",
    replace: "/^[A-Za-z0-9]{2,16}$/",
    why: "a ticker of one character is refused",
  },
  {
    rule: "P-21",
    find: "/^[A-Za-z0-9]{1,16}$/",
    replace: "/^[A-Za-z0-9_]{1,16}$/",
    why: "an underscore is taken",
  },
  {
    rule: "P-21",
    find: "(text.toUpperCase() as Tick)",
    replace: "(text as Tick)",
    why: "letter case tells tickers apart",
  },
  {
    rule: "P-23",
    find: "&& typeof value",
    replace: "&& value !== null && typeof value",
    why: "null is as good as absent",
  },

  {
    rule: "P-23",
    find: "undefined ? absent",
    replace: 'undefined || text === "" ? absent',
    why: "an empty amount is absent",
  },
  {
    rule: "P-23",
    find: "= undefined) return",
    replace: '= undefined || value === "") return',
    why: "an empty address is absent",
  },
  {
    rule: "P-51",
    find: "[0-9a-f]{64}:(",
    replace: "[0-9a-fA-F]{64}:(",
    why: "an id in upper case is well-formed",
  },

  {
    rule: "P-51",
    find: "][0-9]{0,9})$/",
    replace: "][0-9]{0,8})$/",
    why: "an index of ten digits is malformed",
  },
]);

const registry = inFile("src/prc20/operations/registry.ts", [
  {
    rule: "P-24",
    find: "BY_NAME.get(op)?.read",
    replace: "BY_NAME.get(op.toLowerCase())?.read",
    why: "op is compared without letter case",
  },
  {
    rule: "P-46",
    find: "transfer, burn, list,",
    replace: "transfer, list,",
    why: "burn is unknown",
  },
]);

/** Names of the operations' field lists: FIELD_TYPE covers each named field. */
const NAMED: readonly (readonly [file: string, list: string, left: string])[] = [
  ["deploy", '"lim", "pre", "dec", "cid", "to"]', '"lim", "pre", "dec", "to"]'],
  ["mint", '["tick", "amt", "to"]', '["tick", "amt"]'],
  ["transfer", '["tick", "amt", "to"]', '["tick", "to"]'],
  ["burn", '["tick", "amt"]', '["amt"]'],
  ["list", '"pay", "exp", "seller"]', '"exp", "seller"]'],
  ["send", '["id", "to"]', '["id"]'],
];
const named: Break[] = NAMED.map(([file, list, left]) => ({
  rule: "P-23",
  file: `src/prc20/operations/${file}.ts`,
  find: list,
  replace: left,
  why: `a field of ${file} is left out of FIELD_TYPE`,
}));

/** P-20 to P-24, and the exact keys that rows are ordered by. */
export const VALUES: readonly Break[] = [...amount, ...address, ...fields, ...registry, ...named];
