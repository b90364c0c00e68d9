// All fuzzing targets. A new border is a target in one of the three files.

import type { FuzzTarget } from "./target.ts";
import { ANSWER_TARGETS } from "./borders/answers.ts";
import { CHAIN_TARGETS } from "./borders/chain.ts";
import { REQUEST_TARGETS } from "./borders/requests.ts";

/** Every target, by what it stands before: the chain, RPCs, clients. */
export const TARGETS: readonly FuzzTarget[] = [...CHAIN_TARGETS, ...ANSWER_TARGETS, ...REQUEST_TARGETS];
