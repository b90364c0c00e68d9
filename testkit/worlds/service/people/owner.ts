// The owner of the escrow, who in some worlds pauses it, or sets another fee, between what people read and what they send
// (S-21). He can take nothing from anybody; what he makes the contract refuse must not be offered.

import { Random } from "../../../random.ts";
import type { Call } from "../../../oracles/escrow.ts";
import { partyAddress } from "./purse.ts";
import { FEE_BPS } from "./scenario.ts";
import type { Society } from "./society.ts";

/** Starts in one world of four. Draws by a stream of its own, so that the people of the others are what they were. */
export function startOwner(society: Society): void {
  const chance = new Random(`owner ${society.scenario.seed}`);
  if (!chance.is(0.25)) return;
  const send = (call: Call): void => society.evm.submit(partyAddress("owner"), call, true);
  const act = (): void => {
    const isPause = chance.is(0.7);
    const feeRecipient = partyAddress("fees");
    society.note(isPause ? "the owner pauses" : "the owner sets another fee");
    send(isPause ? { fn: "pause" } : { fn: "setFee", feeBps: FEE_BPS + 1, feeRecipient });
    society.later(chance.between(200, 1500), () => {
      send(isPause ? { fn: "unpause" } : { fn: "setFee", feeBps: FEE_BPS, feeRecipient });
      society.later(chance.between(1000, 9000), act);
    });
  };
  society.later(chance.between(300, 3000), act);
}
