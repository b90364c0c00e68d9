// Measures how large the parts of the tree are and how they hang together: files, functions, exports, chains and
// circles of imports, and how many files three journeys take. It judges nothing: the numbers are for a comparison of
// before and after, and each is defined where it is counted (scripts/house/measures.ts). `--tree DIR` measures another
// checkout, `--long` prints all names behind the numbers, `--json` everything for programs.

import { parseArgs } from "node:util";
import { measureBlock, measureJourney } from "./house/measures.ts";
import { BLOCKS, JOURNEYS } from "./house/places.ts";
import { type House, houseText } from "./house/print.ts";
import { readTree } from "./house/tree.ts";

const { values: options } = parseArgs({
  options: {
    tree: { type: "string", default: "." },
    json: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
  },
});

try {
  const house = measured(options.tree);
  console.log(options.json ? JSON.stringify(house, null, 1) : houseText(house, options.long));
} catch (error) {
  console.error(`house: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

function measured(root: string): House {
  const tree = readTree(root);
  return {
    blocks: BLOCKS.map((block) => measureBlock(tree, block, BLOCKS)),
    journeys: JOURNEYS.map((journey) => measureJourney(tree, journey)),
  };
}
