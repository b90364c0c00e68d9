// Waiting for a server, counted in time in which its answer could have been read. A process that was busy itself, or did
// not run, finds answers that came meanwhile only afterwards: that time is nobody's silence.

const TICK_MS = 500;
/** The part of all patience that is left when the process has to end. */
const HURRIED = 0.25;

let isHurried = false;

/** The process has to end within seconds: a server that is silent is waited for much less long from now on. */
export function hurry(): void {
  isHurried = true;
}

/** Of so much patience, what there is now. */
export function patienceNow(ms: number): number {
  return isHurried ? ms * HURRIED : ms;
}

/**
 * Calls back every half second with the time since the last call that counts as waiting, in milliseconds, until the
 * function that it gives is called. Keeps no process alive.
 */
export function everyTick(call: (livedMs: number) => void): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const livedMs = Math.min(now - last, 2 * TICK_MS);
    last = now;
    call(livedMs);
  }, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Calls back once when so much waiting is over, unless the function that it gives is called before. */
export function afterLived(waitMs: number, call: () => void): () => void {
  let waitedMs = 0;
  const stop = everyTick((livedMs) => {
    waitedMs += livedMs;
    if (waitedMs < patienceNow(waitMs)) return;
    stop();
    call();
  });
  return stop;
}
