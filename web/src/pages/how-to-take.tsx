// How an open ask is taken, and what a take does not do yet.

import type { AskRow } from "../wire.ts";
import { Copy, Panel, Pearl, Usdc } from "../parts/basics.tsx";

/** Where a take is posted, what it costs, and what it binds. */
export function HowToTake({ ask }: { ask: AskRow }) {
  const url = `${location.origin}/api/v1/swaps/asks/${ask.ask_id}/take`;
  return (
    <Panel title="How to take it">
      <p>
        A wallet that knows these swaps makes a secret that it shows to nobody, posts a take to the address
        below (<a href="/docs">what it sends</a>), and locks the USDC in the escrow by the terms that come
        back, once it has checked them. You pay <Usdc raw={ask.usdc_amount} /> and the fees of both networks,
        and receive <Pearl sat={ask.pearl_amount_sat} />.
      </p>
      <p class="code">
        <code>{url}</code> <Copy text={url} what="the address for a take" />
      </p>
      <p>
        A take alone binds nobody and moves nothing: whoever locks the USDC first has the ask. The swap has a
        page of its own from then on, which says who does what until when.
      </p>
    </Panel>
  );
}
