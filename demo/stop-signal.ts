// The demo ends at the first signal, when the terminal or the launcher goes away, or when nobody reads its output any
// more. A watchdog sees to it that the end comes within seconds.

/** After so long an orderly stop has failed; the process ends anyway. Everything on disk survives that. */
const WATCHDOG_MS = 4_000;

/** A signal that is aborted when the demo is to end. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    // A terminal's Ctrl-C reaches launcher and program alike, so a second signal is no hurry.
    if (controller.signal.aborted) return;
    controller.abort();
    setTimeout(() => process.exit(1), WATCHDOG_MS).unref();
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, stop);
  if (process.connected) process.once("disconnect", stop);
  process.stdout.on("error", stop);
  return controller.signal;
}
