// The wire between a client and PostgreSQL, cut as where a machine is gone: nobody closes anything, and nothing arrives.

import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A way to the server's socket on which what clients send is lost from the first message with this text on. */
export async function cutWire(folder: string, text: string) {
  const own = mkdtempSync(join(tmpdir(), "strand-wire-"));
  const name = ".s.PGSQL.5432";
  const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
  const servers = new Set<Socket>();
  const wire = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect(join(folder, name));
    servers.add(server);
    let isLost = false;
    client.on("data", (sent) => {
      isLost ||= sent.includes(text);
      if (isLost) cut();
      else server.write(sent);
    });
    server.on("data", (answer) => client.write(answer));
    for (const end of [client, server]) end.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => wire.listen(join(own, name), resolve));
  return {
    isCut,
    through: (url: string) => url.replace(encodeURIComponent(folder), encodeURIComponent(own)),
    close: async () => {
      for (const server of servers) server.destroy();
      wire.close();
      rmSync(own, { recursive: true, force: true });
    },
  };
}
