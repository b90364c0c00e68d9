// Loaded into every thread of a process before its own code: at the n-th statement that writes (STRAND_DIE_AT=n) the
// process kills itself with SIGKILL, before the statement runs. STRAND_DIE_IN=sqlite counts the statements of that engine
// alone, and loads nothing of the other one: thousands of lives are lived. With STRAND_DIE_AT=0 it lives, and each thread
// says at its end how many such statements it ran.

import { writeSync } from "node:fs";
import { DatabaseSync, StatementSync } from "node:sqlite";

let left = Number(process.env["STRAND_DIE_AT"]);

/** Counts the calls of methods that write. */
function count(methods: object, names: readonly string[]): void {
  for (const name of names) {
    const real: unknown = Reflect.get(methods, name);
    if (typeof real !== "function") throw new Error(`there is no method ${name}`);
    const counted = function (this: unknown, ...values: unknown[]): unknown {
      left -= 1;
      if (left === 0) process.kill(process.pid, "SIGKILL");
      return Reflect.apply(real, this, values);
    };
    Object.defineProperty(methods, name, { value: counted });
  }
}

count(DatabaseSync.prototype, ["exec"]);
count(StatementSync.prototype, ["run"]);
if (process.env["STRAND_DIE_IN"] !== "sqlite") {
  const { Session } = await import("../../src/adapters/store-postgres/session.ts");
  count(Session.prototype, ["run", "exec", "copyIn"]);
}
if (left === 0) process.on("exit", () => writeSync(1, `statements: ${-left}\n`));
