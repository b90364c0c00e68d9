// All swap endpoints: interface §4.3 with its compatibility routes, H-42 and H-44. Fixed segments win over
// placeholders in the router, whatever the order here.

import { SWAP_ABOUT_ROUTES } from "./about.ts";
import { SWAP_ASK_ROUTES } from "./asks.ts";
import { SWAP_DEAL_ROUTES } from "./deals.ts";
import { SWAP_LIST_ROUTES } from "./lists.ts";
import type { SwapRoute } from "./swap-route.ts";

/** Every endpoint of the swap group. */
export const SWAP_ROUTES: readonly SwapRoute[] = [
  ...SWAP_ABOUT_ROUTES,
  ...SWAP_LIST_ROUTES,
  ...SWAP_ASK_ROUTES,
  ...SWAP_DEAL_ROUTES,
];
