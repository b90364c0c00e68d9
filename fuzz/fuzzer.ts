// The thread that fuzzes one target: changes inputs, runs the target, keeps what reaches new branches. Before every run
// the input stands in memory that the other thread sees, so that an input that never ends is known too.

import { createRequire } from "node:module";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { Random } from "../testkit/random.ts";
import { Coverage } from "../test/fuzz/coverage.ts";
import { mutated } from "../test/fuzz/mutate.ts";

/** What the thread is started with. */
export interface FuzzOrder {
  /** The instrumented program. */
  readonly file: string;
  readonly seed: string;
  readonly maxBytes: number;
  readonly corpus: readonly Uint8Array[];
  readonly words: readonly Uint8Array[];
  readonly runs: number;
  readonly seconds: number;
  /** Two counters (runs begun, length of the input) and then the input. */
  readonly shared: SharedArrayBuffer;
}

/** What the thread says. */
export type FuzzNews =
  | { readonly kind: "found"; readonly input: Uint8Array; readonly error: string }
  | { readonly kind: "kept"; readonly input: Uint8Array }
  | { readonly kind: "end"; readonly runs: number; readonly branches: number };

/** Lines of the stack that is shown of an error. */
const STACK_LINES = 20;
/** How often the clock is looked at. */
const CLOCK_EVERY = 256;
/** Global name of the list in which the instrumented program counts its branches. */
export const COUNTERS = "__branches__";
/** Bytes before the input in the shared memory. */
export const SHARED_HEAD = 8;

const port: MessagePort | null = parentPort;
if (port !== null) fuzz(workerData as FuzzOrder, (news) => port.postMessage(news));

function fuzz(order: FuzzOrder, tell: (news: FuzzNews) => void): void {
  const { maxBytes, words, shared, runs, seconds } = order;
  const { fuzz: run } = createRequire(import.meta.url)(order.file) as { fuzz: (input: Uint8Array) => void };
  const coverage = new Coverage(countersOf(globalThis));
  const counters = new Uint32Array(shared, 0, 2);
  const window = new Uint8Array(shared, SHARED_HEAD);
  const random = new Random(order.seed);
  const corpus: Uint8Array[] = [];
  const end = performance.now() + seconds * 1000;
  // Most inputs are refused by something that throws within the border, and a stack takes longer than the rest of it.
  Error.stackTraceLimit = 0;
  let count = 0;
  const held = (input: Uint8Array): boolean => {
    window.set(input);
    counters[1] = input.length;
    Atomics.add(counters, 0, 1);
    count += 1;
    try {
      run(input);
    } catch (error) {
      tell({ kind: "found", input, error: whyOf(run, input, error) });
      return false;
    }
    if (coverage.isNew()) corpus.push(input.slice());
    return true;
  };
  for (const input of order.corpus) if (!held(input)) return;
  if (corpus.length === 0) corpus.push(new Uint8Array());
  let known = 0;
  const isOver = (): boolean => count >= runs || (count % CLOCK_EVERY === 0 && performance.now() > end);
  while (!isOver()) {
    if (!held(mutated(random, { corpus, words, maxBytes }))) return;
    for (const input of corpus.slice(known)) tell({ kind: "kept", input });
    known = corpus.length;
  }
  tell({ kind: "end", runs: count, branches: coverage.reached });
}

/** The error with where it came from, for which the input is run once more. */
function whyOf(run: (input: Uint8Array) => void, input: Uint8Array, error: unknown): string {
  Error.stackTraceLimit = STACK_LINES;
  try {
    run(input);
  } catch (again) {
    return String(again instanceof Error ? again.stack : again);
  }
  return `${String(error)} (not thrown again)`;
}

function countersOf(scope: object): Uint16Array<ArrayBuffer> {
  const counters: unknown = Reflect.get(scope, COUNTERS);
  if (!(counters instanceof Uint16Array)) throw new Error(`the instrumented program has no ${COUNTERS}`);
  return counters as Uint16Array<ArrayBuffer>;
}
