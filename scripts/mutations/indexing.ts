// Breaks of what the service does around the store: parameters of a database (P-01), signatures and parent links.

import { type Break, inFile } from "./break.ts";

const parameters = inFile("src/index/parameters.ts", [
  {
    rule: "P-01",
    find: "return NAMES.filter(([name]) => stored[name] !== wanted[name]).map(",
    replace: "return NAMES.slice(1).filter(([name]) => stored[name] !== wanted[name]).map(",
    why: "a database of another network is taken",
  },
  {
    rule: "P-01",
    find: "if (stored !== null) return parameterDifferences(stored, wanted);",
    replace: "if (stored !== null) return [];",
    why: "a database that was built with other parameters is taken",
  },
  {
    rule: "P-01",
    find: '  ["feeAddress", "the fee address (PRC20_FEE_ADDRESS)"],\n',
    replace: "",
    why: "another fee address is taken",
  },
]);

const indexing = inFile("src/index/index-block.ts", [
  {
    rule: "P-53",
    find: "asked.jobs.length === 0 ? [] : checker.verifyAll(asked.jobs),",
    replace: "asked.jobs.length === 0 ? [] : asked.jobs.map(() => true),",
    why: "the service takes every signature",
  },
  {
    rule: "parent",
    find: "const scanned = this.#scan(fetched, previous.hash);",
    replace: "const scanned = this.#scan(fetched, null);",
    why: "the service does not check the parent link",
  },
]);

/** The service around the store. */
export const INDEXING_BREAKS: readonly Break[] = [...parameters, ...indexing];
