// Loaded into a service process before its own code: at SIGUSR2 the thread that writes the database ends, as it would
// by an error that nobody catches.

import { subscribe } from "node:diagnostics_channel";
import { Worker } from "node:worker_threads";

subscribe("worker_threads", (message) => {
  const worker: unknown =
    typeof message === "object" && message !== null ? Reflect.get(message, "worker") : null;
  if (!(worker instanceof Worker) || Reflect.get(worker, "threadName") !== "store-writer") return;
  process.on("SIGUSR2", () => void worker.terminate());
});
