// A thing or an address that there is none of, in words.

import type { ComponentChildren } from "preact";
import { SearchBox, Title } from "../parts/layout.tsx";

/** Says that something does not exist, and offers the search. */
export function UnknownThing({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <Title text={title} />
      <p class="notice">{children}</p>
      <SearchBox label="Search again" />
      <p>
        <a href="/">To the front page</a>
      </p>
    </>
  );
}

/** An address of this service that is none. */
export function UnknownPage() {
  return (
    <UnknownThing title="No such page">
      There is nothing at this address. Look for a ticker, an address, a transaction, a height, a listing or a
      swap.
    </UnknownThing>
  );
}
