// What does a read endpoint answer, and who may make it? The finished bytes of an answer with the state that they
// show, and the port to another thread that makes such answers.

import type { BlockHash } from "../primitives/brands.ts";
import type { TaggedBody } from "./answer.ts";
import type { Refusal } from "./errors.ts";

/** The answer to a read, ready to be sent. */
export interface MadeAnswer extends TaggedBody {
  /** Of the state that all its rows come from (H-09). */
  readonly height: number;
  readonly hash: BlockHash | null;
}

/** Somebody beside the calling thread who makes answers of list endpoints. */
export interface AnswerMaker {
  /**
   * Orders the answer of a route, by the route's name and the request's raw placeholders and parameters. Null where
   * it has enough to do or is not ready. Resolves with null where it ends before it answers: either way the caller
   * makes the answer. Rejects where making it failed.
   */
  ask(route: string, params: unknown, query: unknown): Promise<MadeAnswer | Refusal | null> | null;
}
