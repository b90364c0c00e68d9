// The wire between clients and PostgreSQL, which falls silent and heals again, as a network does that is parted: nobody
// closes anything, nothing arrives, and what was sent meanwhile arrives when it is whole again.

import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAME = ".s.PGSQL.5432";

/** A way to the server's socket that can be parted. */
export async function silentWire(folder: string) {
  const own = mkdtempSync(join(tmpdir(), "strand-wire-"));
  const ends = new Set<Socket>();
  let isSilent = false;
  const wire = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const server = connect({ path: join(folder, NAME), allowHalfOpen: true });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      ends.add(from);
      from.pause();
      from.on("data", (sent) => void to.write(sent));
      from.on("end", () => to.end());
      from.on("error", () => to.destroy());
      from.on("close", () => ends.delete(from));
      if (isSilent) from.pause();
      else from.resume();
    }
  });
  await new Promise<void>((resolve) => wire.listen(join(own, NAME), resolve));
  return {
    through: (url: string) => url.replace(encodeURIComponent(folder), encodeURIComponent(own)),
    fallSilent: () => {
      isSilent = true;
      for (const end of ends) end.pause();
    },
    heal: () => {
      isSilent = false;
      for (const end of ends) end.resume();
    },
    close: () => {
      for (const end of ends) end.destroy();
      wire.close();
      rmSync(own, { recursive: true, force: true });
    },
  };
}
