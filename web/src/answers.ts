// Reads of the service's API. An answer is a value: rows, or what went wrong in words. Answers that were seen are kept
// for a while, so that going back shows them at once.

import { useEffect, useRef, useState } from "preact/hooks";
import { answerSaid, serverSaid } from "./clock.ts";
import { heightsSaid, type Topic, versionOf } from "./live.ts";

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
/** An answer that takes longer is lost: connections die without a word, and browsers would wait for minutes. */
const READ_WITHIN_MS = 20_000;
const kept = new Map<string, Kept>();

/** An answer that was seen. */
interface Kept {
  readonly value: unknown;
  /** Equal tags, equal bytes (H-06); null where the service gave none. */
  readonly etag: string | null;
}

/**
 * One read. The path is one of this service; the answer's type is what the path's schema says. An answer that is as it
 * was seen last is the very same object, so that nothing needs to be drawn again.
 */
export async function read<Value>(path: string, signal?: AbortSignal): Promise<Value | Failure> {
  let response: Response;
  try {
    const ends = [AbortSignal.timeout(READ_WITHIN_MS), ...(signal === undefined ? [] : [signal])];
    response = await fetch(path, { headers: { accept: "application/json" }, signal: AbortSignal.any(ends) });
    serverSaid(response.headers.get("date"));
    heightsSaid(response.headers);
    const etag = response.headers.get("etag");
    const seen = kept.get(path);
    if (response.ok && seen !== undefined && etag !== null && seen.etag === etag)
      return keep(path, seen as Kept & { value: Value });
    const body = (await response.json()) as Value & { error?: string; message?: string };
    answerSaid(body);
    if (response.ok) return keep(path, { value: body, etag });
    return {
      code: body.error ?? `HTTP_${response.status}`,
      message: body.message ?? `The service answered with status ${response.status}.`,
      status: response.status,
    };
  } catch {
    return OFFLINE;
  }
}

function keep<Value>(path: string, answer: Kept & { readonly value: Value }): Value {
  kept.delete(path);
  kept.set(path, answer);
  const oldest = kept.keys().next();
  if (kept.size > KEPT_ANSWERS && oldest.done !== true) kept.delete(oldest.value);
  return answer.value;
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

/** After a failure that may pass. */
export const WAIT_BEFORE_AGAIN_MS = 5_000;

/** A read under way. */
interface Reading {
  readonly cancel: AbortController;
  /** News came after it began. */
  isOutdated: boolean;
}

/**
 * The answer at a path, read again whenever one of the topics has news and, after a failure, every some seconds. News
 * never end a read, they are read after it: a slow connection shows something, too, where blocks come quickly. A null
 * path is not read. Answers of an older path are never shown for a newer one.
 */
export function useAnswer<Value>(path: string | null, ...topics: readonly Topic[]): Answer<Value> {
  return useReader<Value>(read, path, topics);
}

type Reader<Value> = (path: string, signal: AbortSignal) => Promise<Value | Failure>;

/** `reader` is the same at every drawing. */
function useReader<Value>(
  reader: Reader<Value>,
  path: string | null,
  topics: readonly Topic[],
): Answer<Value> {
  const version = versionOf(topics);
  const [answer, setAnswer] = useState<Held<Value>>(() => initial(path));
  const [attempt, setAttempt] = useState(0);
  const reading = useRef<Reading | null>(null);
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(
    () => () => {
      reading.current?.cancel.abort();
      reading.current = null;
      clearTimeout(waiting.current);
    },
    [path],
  );
  useEffect(() => {
    if (path === null) return;
    if (reading.current !== null) {
      reading.current.isOutdated = true;
      return;
    }
    const own: Reading = { cancel: new AbortController(), isOutdated: false };
    reading.current = own;
    clearTimeout(waiting.current);
    if (answer.path !== path) setAnswer(initial(path));
    void reader(path, own.cancel.signal).then((got) => {
      if (own.cancel.signal.aborted) return;
      reading.current = null;
      setAnswer((before) => after(before, path, got));
      if (own.isOutdated) setAttempt(next);
      else if (isFailure(got) && isPassing(got.status))
        waiting.current = setTimeout(() => setAttempt(next), WAIT_BEFORE_AGAIN_MS);
    });
  }, [path, version, attempt]);
  return answer.path === path ? answer : initial(path);
}

/** Rows of a list. */
export interface WholeList<Row> {
  readonly result: readonly Row[];
  /** There are more rows than were read. */
  readonly isCut: boolean;
}

const MOST_PAGES = 5;

/** The rows of all pages of a list, as far as five pages go: for what is chosen from all of them, like a best price. */
export function useWholeList<Row>(path: string, ...topics: readonly Topic[]): Answer<WholeList<Row>> {
  return useReader<WholeList<Row>>(readWhole, path, topics);
}

async function readWhole<Row>(path: string, signal: AbortSignal): Promise<WholeList<Row> | Failure> {
  const rows: Row[] = [];
  let cursor = "";
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await read<{ readonly result: readonly Row[]; readonly next: string | null }>(
      path + cursor,
      signal,
    );
    if (isFailure(answer)) return answer;
    rows.push(...answer.result);
    if (answer.next === null) return { result: rows, isCut: false };
    cursor = `&next=${encodeURIComponent(answer.next)}`;
  }
  return { result: rows, isCut: true };
}

/** No answer, one too late, too many requests, or trouble of the service: the same question may be answered later. */
export function isPassing(status: number): boolean {
  return status === 0 || status === 408 || status >= 429;
}

function next(count: number): number {
  return count + 1;
}

type Held<Value> = Answer<Value> & { readonly path: string | null };

/** What is held after a read: its answer, or what was seen before beside the failure. */
function after<Value>(before: Held<Value>, path: string, got: Value | Failure): Held<Value> {
  if (!isFailure(got)) {
    const isUnchanged =
      before.path === path && before.value === got && before.failure === null && !before.isLoading;
    return isUnchanged ? before : { path, value: got, failure: null, isLoading: false };
  }
  const value = before.path === path && got.status !== 404 ? before.value : null;
  return { path, value, failure: got, isLoading: false };
}

function initial<Value>(path: string | null): Held<Value> {
  const value = path === null ? null : ((kept.get(path)?.value as Value | undefined) ?? null);
  return { path, value, failure: null, isLoading: path !== null && value === null };
}
