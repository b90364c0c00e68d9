// Loaded into a service process before its own code: at SIGUSR2 the thread that writes the database ends, as it would
// by an error that nobody catches.

import { subscribe } from "node:diagnostics_channel";
import { Worker } from "node:worker_threads";
import { fieldOf } from "../../testkit/field-of.ts";

subscribe("worker_threads", (message) => {
  const worker = fieldOf(message, "worker");
  if (!(worker instanceof Worker) || worker.threadName !== "store-writer") return;
  process.on("SIGUSR2", () => void worker.terminate());
});
