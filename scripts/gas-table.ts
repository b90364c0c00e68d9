// Measures what each call of the escrow costs and writes docs/gas.md.

import { writeFileSync } from "node:fs";
import { gasPage, measureGas } from "../testkit/doubles/anvil/gas-table.ts";

writeFileSync("docs/gas.md", gasPage(await measureGas()));
