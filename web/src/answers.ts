// Reads of the service's API. An answer is a value: rows, or what went wrong in words. Answers that were seen are kept
// for a while, so that going back shows them at once.

import { useEffect, useState } from "preact/hooks";
import { answerSaid, serverSaid } from "./clock.ts";
import { type Topic, versionOf } from "./live.ts";

/** Why there is no answer. */
export interface Failure {
  /** "offline": the service could not be reached; else the code of its error. */
  readonly code: string;
  /** What was wrong and what to do. */
  readonly message: string;
  readonly status: number;
}

/** What is known of an address of the API: `value` is the last answer also while a newer one is on its way. */
export interface Answer<Value> {
  readonly value: Value | null;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
}

const OFFLINE: Failure = {
  code: "offline",
  message: "The service cannot be reached. What is shown may be old; it is asked again by itself.",
  status: 0,
};
const KEPT_ANSWERS = 200;
const kept = new Map<string, unknown>();

/** One read. The path is one of this service; the answer's type is what the path's schema says. */
export async function read<Value>(path: string, signal?: AbortSignal): Promise<Value | Failure> {
  let response: Response;
  try {
    response = await fetch(path, { headers: { accept: "application/json" }, ...(signal ? { signal } : {}) });
    serverSaid(response.headers.get("date"));
    const body = (await response.json()) as Value & { error?: string; message?: string };
    answerSaid(body);
    if (response.ok) return keep(path, body);
    return {
      code: body.error ?? `HTTP_${response.status}`,
      message: body.message ?? `The service answered with status ${response.status}.`,
      status: response.status,
    };
  } catch {
    return OFFLINE;
  }
}

function keep<Value>(path: string, value: Value): Value {
  kept.delete(path);
  kept.set(path, value);
  const oldest = kept.keys().next();
  if (kept.size > KEPT_ANSWERS && oldest.done !== true) kept.delete(oldest.value);
  return value;
}

/** True for what `read` gives where there is no answer. */
export function isFailure(answer: unknown): answer is Failure {
  return (
    typeof answer === "object" &&
    answer !== null &&
    "code" in answer &&
    "status" in answer &&
    "message" in answer
  );
}

const WAIT_BEFORE_AGAIN_MS = 5_000;

/**
 * The answer at a path, read again whenever one of the topics has news and, after a failure, every some seconds. A null
 * path is not read. Answers of an older path are never shown for a newer one.
 */
export function useAnswer<Value>(path: string | null, ...topics: readonly Topic[]): Answer<Value> {
  const version = versionOf(topics);
  const [answer, setAnswer] = useState<Answer<Value> & { readonly path: string | null }>(() => initial(path));
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (path === null) return undefined;
    const cancel = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    if (answer.path !== path) setAnswer(initial(path));
    void read<Value>(path, cancel.signal).then((got) => {
      if (cancel.signal.aborted) return;
      if (!isFailure(got)) return setAnswer({ path, value: got, failure: null, isLoading: false });
      setAnswer((before) => ({
        path,
        value: before.path === path && got.status !== 404 ? before.value : null,
        failure: got,
        isLoading: false,
      }));
      if (got.status === 0 || got.status >= 429)
        again = setTimeout(() => setAttempt(attempt + 1), WAIT_BEFORE_AGAIN_MS);
    });
    return () => {
      cancel.abort();
      clearTimeout(again);
    };
  }, [path, version, attempt]);
  return answer.path === path ? answer : initial(path);
}

function initial<Value>(path: string | null): Answer<Value> & { readonly path: string | null } {
  const value = path === null ? null : ((kept.get(path) as Value | undefined) ?? null);
  return { path, value, failure: null, isLoading: path !== null && value === null };
}
