// Breaks of what `strand verify` promises: every wrong row is found, in an index that changes meanwhile.

import { type Break, inFile } from "./break.ts";

/** The job that verifies an index. */
export const VERIFY_BREAKS: readonly Break[] = [
  ...inFile("src/index/verify.ts", [
    {
      rule: "P-90",
      find: "if (tip === null || this.#isOn(this.height)) return;",
      replace: "if (tip === null || this.height >= 0) return;",
      why: "a replay goes on upon blocks that the index has undone",
    },
    {
      rule: "H-09",
      find: "const isAtTip = isLast && tip !== null && replay.isAt(tip);",
      replace: "const isAtTip = isLast && tip !== null;",
      why: "rows of a replay are compared that is not at the tip of the index",
    },
    {
      rule: "P-82",
      find: "if (stored === digest || !this.#isDigestRight) return [];",
      replace: "if (stored === digest || this.#isDigestRight) return [];",
      why: "the first wrong digest is not told",
      equivalent:
        "the blocks with their digests are compared again at the end: another sentence names the same block",
    },
  ]),
  ...inFile("src/adapters/store-sqlite/audit/compare.ts", [
    {
      rule: "P-90",
      find: "if (one !== null && one !== other)",
      replace: "if (one === null && one !== other)",
      why: "undo records are not compared",
    },
  ]),
  ...inFile("src/adapters/store-sqlite/audit/audit-chain.ts", [
    {
      rule: "H-36",
      find: "if (cells.int() !== hash(text))",
      replace: "if (cells.int() === -1)",
      why: "an address that cannot be found is not told",
    },
  ]),
];
