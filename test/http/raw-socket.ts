// Bytes over a bare connection, for requests that no HTTP client would send.

import { connect } from "node:net";

/** What came back. Header names in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly text: string;
}

/** Sends the bytes and reads until the other side ends the connection. */
export function sendRaw(port: number, bytes: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes, "latin1"));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("end", () => resolve(parsed(text)));
    socket.on("error", reject);
  });
}

function parsed(text: string): RawAnswer {
  const split = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, split).split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0),
    headers: new Map(headers),
    body: text.slice(split + 4),
    text,
  };
}
