// Breaks of P-40 to P-46: the order of checks and the effects of deploy, mint, transfer and burn.

import { type Break, inFile } from "./break.ts";

const TICK = 'if (tick === "") return "TICK_INVALID";';
const UNKNOWN = 'if (overlay.token(tick) === null) return "TICK_UNKNOWN";';
const AMOUNT = 'if (amount === null) return "AMT_INVALID";';

/** Two neighbouring lines exchanged. */
function swapped(rule: string, first: string, second: string, why: string): Omit<Break, "file"> {
  return { rule, find: `${first}\n    ${second}`, replace: `${second}\n    ${first}`, why };
}

const deploy = inFile("src/prc20/operations/deploy.ts", [
  swapped(
    "P-40",
    'if (tick === RESERVED_TICK) return "TICK_RESERVED";',
    'if (max === null) return "MAX_INVALID";',
    "deploy: TICK_RESERVED after MAX_INVALID",
  ),
  swapped(
    "P-40",
    'if (lim === null || lim > max) return "LIM_INVALID";',
    'if (pre === null || pre > max) return "PRE_INVALID";',
    "deploy: LIM_INVALID after PRE_INVALID",
  ),
  swapped(
    "P-40",
    'if (pre === null || pre > max) return "PRE_INVALID";',
    'if (dec === null) return "DEC_INVALID";',
    "deploy: PRE_INVALID after DEC_INVALID",
  ),
  swapped(
    "P-40",
    'if (dec === null) return "DEC_INVALID";',
    'if (cid === undefined) return "CID_INVALID";',
    "deploy: DEC_INVALID after CID_INVALID",
  ),
  swapped(
    "P-40",
    'if (cid === undefined) return "CID_INVALID";',
    'if (recipient === null) return "ADDRESS_INVALID";',
    "deploy: CID_INVALID after ADDRESS_INVALID",
  ),
  swapped(
    "P-40",
    'if (recipient === null) return "ADDRESS_INVALID";',
    'if (overlay.token(tick) !== null) return "TICK_TAKEN";',
    "deploy: ADDRESS_INVALID after TICK_TAKEN",
  ),

  {
    rule: "P-40",
    find: "/^(?:[0-9]|1[0-8])$/",
    replace: "/^(?:[0-9]|1[0-9])$/",
    why: "19 decimals are taken",
  },
  {
    rule: "P-40",
    find: "/^(?:[0-9]|1[0-8])$/",
    replace: "/^(?:[0-9]|0?1[0-8])$/",
    why: "decimals with a leading zero are taken",
  },
  {
    rule: "P-40",
    find: "/^[\\x21-\\x7e]{1,128}$/",
    replace: "/^[\\x21-\\x7e]{1,129}$/",
    why: "a cid of 129 characters is taken",
  },
  {
    rule: "P-40",
    find: "/^[\\x21-\\x7e]{1,128}$/",
    replace: "/^[\\x20-\\x7e]{1,128}$/",
    why: "a blank in a cid is taken",
  },

  {
    rule: "P-40",
    find: 'positiveField(fields, "max", null)',
    replace: 'amountField(fields, "max", null)',
    why: "max may be 0",
  },
  {
    rule: "P-40",
    find: 'addressOrSender(source, "to")',
    replace: 'addressOrSender({ ...source, fields: {} }, "to")',
    why: "the pre-mint always goes to the sender",
  },
  {
    rule: "P-41",
    find: "minted: pre,",
    replace: "minted: NOTHING,",
    why: "the pre-mint is not counted as minted",
  },
  {
    rule: "P-41",
    find: "deployer: this.#sender,",
    replace: "deployer: this.recipient ?? this.#sender,",
    why: "the deployer is who gets the pre-mint",
  },
  {
    rule: "P-41",
    find: "tick, pre, 0n)",
    replace: "tick, max, 0n)",
    why: "max is credited instead of pre",
  },

  {
    rule: "P-21",
    find: "tick === RESERVED_TICK",
    replace: "tick === RESERVED_TICK.toLowerCase()",
    why: "PEARL can be deployed",
  },
]);

const mint = inFile("src/prc20/operations/mint.ts", [
  {
    rule: "P-42",
    find: 'if (asked === null) return "AMT_INVALID";\n    if (asked > token.lim) return "AMT_OVER_LIMIT";\n    if (recipient === null) return "ADDRESS_INVALID";',
    replace:
      'if (recipient === null) return "ADDRESS_INVALID";\n    if (asked === null) return "AMT_INVALID";\n    if (asked > token.lim) return "AMT_OVER_LIMIT";',
    why: "mint: AMT_INVALID after ADDRESS_INVALID",
  },
  swapped(
    "P-42",
    'if (asked > token.lim) return "AMT_OVER_LIMIT";',
    'if (recipient === null) return "ADDRESS_INVALID";',
    "mint: AMT_OVER_LIMIT after ADDRESS_INVALID",
  ),
  swapped(
    "P-42",
    'if (recipient === null) return "ADDRESS_INVALID";',
    'if (token.minted === token.max) return "MINT_ENDED";',
    "mint: ADDRESS_INVALID after MINT_ENDED",
  ),

  {
    rule: "P-42",
    find: "asked > token.lim",
    replace: "asked > token.max",
    why: "lim is no limit",
  },

  {
    rule: "P-43",
    find: "(token.max - token.minted)",
    replace: "(token.max - token.minted + token.burned)",
    why: "burned units come back",
  },
  {
    rule: "P-43",
    find: "tick, credited,",
    replace: "tick, asked,",
    why: "the last mint credits more than is minted",
  },
  {
    rule: "P-81",
    find: "amount: credited,",
    replace: "amount: asked,",
    why: "the row of the last mint shows what was asked",
  },
]);

const transfer = inFile("src/prc20/operations/transfer.ts", [
  swapped("P-44", UNKNOWN, AMOUNT, "transfer: TICK_UNKNOWN after AMT_INVALID"),
  swapped(
    "P-44",
    AMOUNT,
    'if (recipient === null) return "ADDRESS_INVALID";',
    "transfer: AMT_INVALID after ADDRESS_INVALID",
  ),
  {
    rule: "P-44",
    find: 'if (recipient === null) return "ADDRESS_INVALID";\n    if (overlay.balanceOf(sender, tick) < amount) return "BALANCE_INSUFFICIENT";',
    replace:
      'if (overlay.balanceOf(sender, tick) < amount) return "BALANCE_INSUFFICIENT";\n    if (recipient === null) return "ADDRESS_INVALID";',
    why: "transfer: ADDRESS_INVALID after BALANCE_INSUFFICIENT",
  },

  {
    rule: "P-44",
    find: "tick) < amount",
    replace: "tick) + overlay.balanceCell(sender, tick).locked < amount",
    why: "locked units count as spendable",
  },

  {
    rule: "P-45",
    find: "tick, amount, 0n)",
    replace: "tick, 0n, amount)",
    why: "received units are locked",
  },
  {
    rule: "P-81",
    find: "first, second }",
    replace: "first: second ?? first, second: second === null ? null : first }",
    why: "the balance effects of a transfer are exchanged",
  },
]);

const burn = inFile("src/prc20/operations/burn.ts", [
  swapped("P-46", TICK, UNKNOWN, "burn: TICK_INVALID after TICK_UNKNOWN"),
  swapped("P-46", UNKNOWN, AMOUNT, "burn: TICK_UNKNOWN after AMT_INVALID"),

  {
    rule: "P-46",
    find: "(working.burned + amount)",
    replace: "(working.burned + 0n)",
    why: "burned units are not counted",
  },

  {
    rule: "P-81",
    find: "to: null,",
    replace: "to: sender,",
    why: "a burn has a recipient",
  },
]);

/** P-40 to P-46. */
export const TOKEN_OPERATIONS: readonly Break[] = [...deploy, ...mint, ...transfer, ...burn];
