// Breaks in what is read of PEARL nodes beside the followed one.

import { type Break, inFile } from "./break.ts";

/** The breaks of this topic. */
export const SWAPS_PEARL_OTHERS: readonly Break[] = [
  ...inFile("src/swaps/pearl/pearl-hidden-secrets.ts", [
    {
      rule: "S-13",
      find: "if (ledger.watch.script(script)?.hashlock !== hashlock) continue;",
      replace: "",
      why: "a secret is told as shown by the claim of a script that no order has",
    },
    {
      rule: "S-13",
      find: "this.blocks.get(hash) ?? {",
      replace: "{",
      why: "a block that another node has is new at each look, and never read",
    },
  ]),
];
