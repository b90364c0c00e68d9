// The page: shows what the present address names, and follows the service.

import { render } from "preact";
import { placeOf, followNavigation, place, type PageName, type Place } from "./paths.ts";
import { followClock } from "./clock.ts";
import { followService } from "./live.ts";
import { applyTheme } from "./settings.ts";
import { useStore } from "./store.ts";
import { Layout } from "./parts/layout.tsx";
import { AddressPage } from "./pages/address.tsx";
import { AskPage } from "./pages/ask.tsx";
import { FrontPage } from "./pages/front.tsx";
import { BlocksPage, MarketsPage, MempoolPage, OperationsPage, TokensPage } from "./pages/lists.tsx";
import { SearchPage } from "./pages/search.tsx";
import { StatusPage } from "./pages/status.tsx";
import { SwapPage } from "./pages/swap.tsx";
import { SwapsPage } from "./pages/swaps.tsx";
import { BlockPage, ListingPage, OperationPage, TransactionPage } from "./pages/things.tsx";
import { TokenPage } from "./pages/token.tsx";
import { UnknownPage } from "./pages/unknown.tsx";

const PAGES: Readonly<Record<PageName, (props: { readonly place: Place }) => preact.JSX.Element>> = {
  front: FrontPage,
  tokens: TokensPage,
  markets: MarketsPage,
  operations: OperationsPage,
  blocks: BlocksPage,
  mempool: MempoolPage,
  swaps: SwapsPage,
  status: StatusPage,
  search: SearchPage,
  token: TokenPage,
  listing: ListingPage,
  address: AddressPage,
  transaction: TransactionPage,
  operation: OperationPage,
  block: BlockPage,
  swap: SwapPage,
  ask: AskPage,
  unknown: UnknownPage,
};

function App() {
  const here = useStore(place);
  const Page = PAGES[here.page];
  // Another thing is another page, with nothing of the one before.
  return (
    <Layout>
      <Page key={here.page + JSON.stringify(here.parts)} place={here} />
    </Layout>
  );
}

applyTheme();
place.set(placeOf(location.href));
followNavigation();
followClock();
followService();
const root = document.getElementById("page");
// In a task of its own: a slow phone can do something else between reading the script and drawing the page.
if (root !== null) setTimeout(() => render(<App />, root));
