// Asks the service as a reader does who has nothing but curl: for answers, and for the event stream from a moment on.

import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import type { JsonRow } from "../../testkit/rows.ts";

/** Runs a program and gives what it printed. */
export const run = promisify(execFile);

/** Whether curl is there. */
export async function hasCurl(): Promise<boolean> {
  return run("curl", ["--version"]).then(
    () => true,
    () => false,
  );
}

/** The answer of a curl command as it was printed. */
export async function curl(command: string): Promise<JsonRow> {
  return JSON.parse((await run("sh", ["-c", command])).stdout) as JsonRow;
}

/** The event stream as curl prints it. */
export interface CurlEvents {
  /** Whether the service has answered: what happens from now on is heard. */
  isOpen(): boolean;
  /** Every status that was told of a deal so far, also one that passed quickly. */
  statusesOf(hash: string): ReadonlySet<unknown>;
  stop(): void;
}

/** Listens to the event stream of the service at `base`. */
export function curlEvents(base: string): CurlEvents {
  const child = spawn("curl", ["-s", "-N", `${base}/api/v1/events`], { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return {
    isOpen: () => text !== "",
    statusesOf: (hash) => {
      // The last piece may be half an event.
      const events = text.split("\n\n").slice(0, -1);
      const told = events.flatMap((event) => /^event: deal\ndata: (.*)$/m.exec(event)?.[1] ?? []);
      const deals = told.map((data) => (JSON.parse(data) as { readonly row: JsonRow }).row);
      return new Set(deals.filter((deal) => deal["order_hash"] === hash).map((deal) => deal["status"]));
    },
    stop: () => void child.kill(),
  };
}
