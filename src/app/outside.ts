// What a service meets outside of its process: time, chance, the nodes of both chains, and who looks transactions and
// balances up. The machine's own is the default; a simulation puts the same service into a world of its own.

import { randomInt } from "node:crypto";
import { openEvmChain } from "../adapters/evm-rpc/open-evm-chain.ts";
import { openFollowedBalance, openFollowedLookups } from "../adapters/pearl-node/followed-clients.ts";
import { openPearlNode } from "../adapters/pearl-node/pearl-node.ts";
import { systemClock } from "../adapters/system/clock.ts";
import type { Clock } from "../follow/ports.ts";

/** What is outside; the functions are those of the adapters, or stand for them. */
export interface Outside {
  readonly clock: Clock;
  /** A number below 2^32 that nobody can foresee: it decides where rows lie in memory and nothing that is told. */
  readonly salt: () => number;
  readonly openNode: typeof openPearlNode;
  readonly openEvm: typeof openEvmChain;
  readonly openLookups: typeof openFollowedLookups;
  readonly openBalance: typeof openFollowedBalance;
}

/** This machine and its network. */
export const MACHINE: Outside = {
  clock: systemClock,
  salt: () => randomInt(2 ** 32),
  openNode: openPearlNode,
  openEvm: openEvmChain,
  openLookups: openFollowedLookups,
  openBalance: openFollowedBalance,
};
