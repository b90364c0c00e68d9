// How an open listing is bought, and what makes a purchase go wrong though it is open.

import { counted } from "../format.ts";
import { health } from "../live.ts";
import { useStore } from "../store.ts";
import type { ListingRow } from "../wire.ts";
import { BUYING_CAUTION } from "../words.ts";
import { Copy, Panel, Pearl } from "../parts/basics.tsx";
import { Units } from "../parts/rows.tsx";

/** The template of a purchase, what it costs, and what the buyer's wallet has to see to. */
export function HowToBuy({ row }: { row: ListingRow }) {
  const tip = useStore(health, (body) => body?.indexed_height ?? null);
  const template = `${location.origin}/api/v1/prc20/market/fill-template/${row.id}/YOUR_ADDRESS`;
  return (
    <Panel title="How to buy it">
      <p>
        A wallet that knows PRC20 builds the purchase: it takes the template below with your address in place,
        adds your inputs and your inscription, and signs. You pay <Pearl sat={row.price} /> and the network's
        fee, and receive <Units raw={row.amount} tick={row.tick} />.
      </p>
      <p class="code">
        <code>{template}</code> <Copy text={template} what="the address of the template" />
      </p>
      <p>
        {BUYING_CAUTION}
        {tip === null
          ? ""
          : ` This listing has ${counted(Math.max(1, tip - row.created_height + 1), "confirmation")}.`}
      </p>
    </Panel>
  );
}
