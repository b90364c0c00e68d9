// The wire between clients and PostgreSQL, as it is where a machine is gone or a network is parted: nobody closes anything,
// and nothing arrives.

import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAME = ".s.PGSQL.5432";

/**
 * A way to the server's socket. It can fall silent and heal again; what was sent meanwhile arrives when it is whole. `lostFrom`:
 * on each connection what the client sends is lost for ever from the first message with this text on.
 */
export async function postgresWire(folder: string, lostFrom: string | null = null) {
  const own = mkdtempSync(join(tmpdir(), "strand-wire-"));
  const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
  const ends = new Set<Socket>();
  let isSilent = false;
  const wire = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const server = connect({ path: join(folder, NAME), allowHalfOpen: true });
    let isLost = false;
    const pass = (from: Socket, to: Socket, isKept: (sent: Buffer) => boolean): void => {
      ends.add(from);
      from.pause();
      from.on("data", (sent: Buffer) => void (isKept(sent) && to.write(sent)));
      from.on("end", () => void (isLost || to.end()));
      from.on("error", () => void (isLost || to.destroy()));
      from.on("close", () => ends.delete(from));
      if (!isSilent) from.resume();
    };
    pass(client, server, (sent) => {
      isLost ||= lostFrom !== null && sent.includes(lostFrom);
      if (isLost) cut();
      return !isLost;
    });
    pass(server, client, () => true);
  });
  await new Promise<void>((resolve) => wire.listen(join(own, NAME), resolve));
  return {
    /** Resolves when the first connection has lost something. */
    isCut,
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
