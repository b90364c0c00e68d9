// Endpoints of the chain as the index holds it: its blocks, newest first or one of them, the digest of each, by which two
// operators compare their indexes (P-82, H-38), and the reorganisations that the event log holds.

import { Type } from "typebox";
import { ok } from "../../primitives/result.ts";
import { pageReading, type ReadRoute, readRoute } from "../read-route.ts";
import { blockRow, reorgRow } from "../rows/blocks.ts";
import { BlockRowSchema, ReorgRowSchema } from "../schemas/blocks.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import { blockParameter, indexParameter, pageParameters } from "../schemas/parameters.ts";
import { DigestRowSchema } from "../schemas/tokens.ts";

const blocks = readRoute({
  name: "blocks",
  path: "/api/v1/prc20/blocks",
  summary: "Indexed blocks from the start height on, newest first",
  params: Type.Object({}),
  query: Type.Object(pageParameters),
  row: BlockRowSchema,
  example: EXAMPLES.blockRow,
  async read({ queries }, _params, query) {
    return pageReading(
      query,
      { list: "blocks", scope: ["blocks"] },
      (page) => queries.blocks(page),
      blockRow,
    );
  },
});

const block = readRoute({
  name: "block",
  path: "/api/v1/prc20/block/{block}",
  summary: "One indexed block, by height or hash",
  params: Type.Object({ block: blockParameter }),
  query: Type.Object({}),
  row: BlockRowSchema,
  example: EXAMPLES.blockRow,
  async read({ queries }, params) {
    const { state, value } = await queries.block(params.block);
    return ok({ state, rows: value === null ? [] : [blockRow(value)] });
  },
});

const digest = readRoute({
  name: "digest",
  path: "/api/v1/prc20/digest/{height}",
  summary: "State digest of a block",
  params: Type.Object({ height: indexParameter }),
  query: Type.Object({}),
  row: DigestRowSchema,
  example: EXAMPLES.digestRow,
  async read({ queries }, params) {
    const { state, value } = await queries.digest(params.height);
    const rows =
      value === null ? [] : [{ height: value.height, block_hash: value.hash, value: value.digest }];
    return ok({ state, rows });
  },
});

const reorgs = readRoute({
  name: "reorgs",
  path: "/api/v1/prc20/reorgs",
  summary: "Reorganisations of both chains that the event log still holds, newest first",
  params: Type.Object({}),
  query: Type.Object(pageParameters),
  row: ReorgRowSchema,
  example: EXAMPLES.reorgRow,
  // Swaps may empty the log without a commit of the index.
  cached: false,
  async read({ queries }, _params, query) {
    return pageReading(
      query,
      { list: "reorgs", scope: ["reorgs"] },
      (page) => queries.reorgs(page),
      reorgRow,
    );
  },
});

/** The endpoints of blocks. */
export const BLOCK_ROUTES: readonly ReadRoute[] = [blocks, block, digest, reorgs];
