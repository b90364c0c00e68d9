// When a command is told to end, and that it does: in order where that takes no longer than it may, and else all the same.

/** An orderly stop that takes longer has failed; the process ends anyway, which loses nothing that was durable. */
const STOP_LIMIT_MS = 4500;

/** Aborts at SIGINT, SIGTERM, SIGHUP, or when the launcher is gone. */
export function stopSignal(limitMs = STOP_LIMIT_MS): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    // A terminal's Ctrl-C reaches launcher and program alike: a second signal is no hurry.
    if (controller.signal.aborted) return;
    controller.abort();
    endWithin(limitMs);
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, stop);
  if (process.connected) process.once("disconnect", stop);
  return controller.signal;
}

/** Ends the process with 1 and a sentence where it has not ended by itself until then. */
export function endWithin(limitMs = STOP_LIMIT_MS): void {
  setTimeout(() => {
    process.stderr.write(
      `strand: stopping took longer than ${limitMs / 1000} s, so it was cut short: the database, the node or a disk does ` +
        "not answer. Nothing that was durable is lost, and the next start goes on from there.\n",
    );
    process.exit(1);
  }, limitMs).unref();
}
