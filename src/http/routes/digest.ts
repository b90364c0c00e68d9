// Which endpoint lets two operators compare their indexes? digest/{height} (P-82, H-38).

import { Type } from "typebox";
import { type ReadRoute, readRoute } from "../read-route.ts";
import * as examples from "../schemas/examples.ts";
import { indexParameter } from "../schemas/parameters.ts";
import { DigestRow } from "../schemas/tokens.ts";

const digest = readRoute({
  name: "digest",
  path: "/api/v1/prc20/digest/{height}",
  summary: "State digest of a block",
  params: Type.Object({ height: indexParameter }),
  query: Type.Object({}),
  row: DigestRow,
  example: examples.digestRow,
  async read({ queries }, params) {
    const { state, value } = await queries.digest(params.height);
    if (value === null) return { state, rows: [] };
    return { state, rows: [{ height: value.height, block_hash: value.hash, value: value.digest }] };
  },
});

/** The digest endpoint. */
export const DIGEST_ROUTES: readonly ReadRoute[] = [digest];
