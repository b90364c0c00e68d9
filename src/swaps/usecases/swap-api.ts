// The swap service as HTTP sees it: every use case, over the parts that it is given.

import { acceptLock } from "./accept-lock.ts";
import { createAsk } from "./create-ask.ts";
import type { SwapDependencies } from "./dependencies.ts";
import type { SwapOutcome } from "./outcome.ts";
import { actOnAsk, setOrigin } from "./signed-actions.ts";
import { SwapReads } from "./swap-reads.ts";
import type { SwapPost, SwapService } from "./swap-service.ts";
import { takeAsk } from "./take-ask.ts";
import { verifyEvmRefundOf, verifyLockOf, verifyRefundOf } from "./verifications.ts";

/** All use cases over one ledger. */
export class SwapApi extends SwapReads implements SwapService {
  readonly #deps: SwapDependencies;

  constructor(deps: SwapDependencies) {
    super(deps);
    this.#deps = deps;
  }

  post(post: SwapPost): Promise<SwapOutcome> {
    switch (post.name) {
      case "createAsk":
        return createAsk(this.#deps, post.body);
      case "takeAsk":
        return takeAsk(this.#deps, post.hash, post.body);
      case "actOnAsk":
        return actOnAsk(this.#deps, post.hash, post.action, post.body);
      case "setOrigin":
        return setOrigin(this.#deps, post.hash, post.body);
      case "acceptLock":
        return acceptLock(this.#deps, post.hash, post.body, post.client);
      case "verifyLock":
        return verifyLockOf(this.#deps, post.hash, post.body, post.client);
      case "verifyRefund":
        return verifyRefundOf(this.#deps, post.hash, post.body, post.client);
      case "verifyEvmRefund":
        break;
    }
    return verifyEvmRefundOf(this.#deps, post.hash);
  }
}
