// The swap service as HTTP sees it: every use case, over the parts that `main` hands in.

import type { Bytes32 } from "../../primitives/brands.ts";
import { acceptLock } from "./accept-lock.ts";
import { createAsk } from "./create-ask.ts";
import type { SwapDependencies } from "./dependencies.ts";
import type { SwapOutcome } from "./outcome.ts";
import { actOnAsk, setOrigin } from "./signed-actions.ts";
import { SwapReads } from "./swap-reads.ts";
import type { RequestBody, SwapService } from "./swap-service.ts";
import type { AskActionName } from "../../swap/records.ts";
import { takeAsk } from "./take-ask.ts";
import { verifyEvmRefundOf, verifyLockOf, verifyRefundOf } from "./verifications.ts";

/** All use cases over one ledger. */
export class SwapApi extends SwapReads implements SwapService {
  readonly #deps: SwapDependencies;

  constructor(deps: SwapDependencies) {
    super(deps);
    this.#deps = deps;
  }

  createAsk(body: RequestBody): Promise<SwapOutcome> {
    return createAsk(this.#deps, body);
  }

  takeAsk(askId: Bytes32, body: RequestBody): Promise<SwapOutcome> {
    return takeAsk(this.#deps, askId, body);
  }

  actOnAsk(askId: Bytes32, action: AskActionName, body: RequestBody): Promise<SwapOutcome> {
    return actOnAsk(this.#deps, askId, action, body);
  }

  setOrigin(orderHash: Bytes32, body: RequestBody): Promise<SwapOutcome> {
    return setOrigin(this.#deps, orderHash, body);
  }

  acceptLock(dealHash: Bytes32, body: RequestBody, client: string): Promise<SwapOutcome> {
    return acceptLock(this.#deps, dealHash, body, client);
  }

  verifyLock(dealHash: Bytes32, body: RequestBody, client: string): Promise<SwapOutcome> {
    return verifyLockOf(this.#deps, dealHash, body, client);
  }

  verifyRefund(dealHash: Bytes32, body: RequestBody, client: string): Promise<SwapOutcome> {
    return verifyRefundOf(this.#deps, dealHash, body, client);
  }

  verifyEvmRefund(dealHash: Bytes32): Promise<SwapOutcome> {
    return verifyEvmRefundOf(this.#deps, dealHash);
  }
}
