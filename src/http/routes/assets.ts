// Serves the files that the pages load: what `npm run gen` builds into web/built, read when the server is built
// and compressed once, for the first who asks. The names are those of the build; a file that changes has another entity tag.

import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import { type Answer, textAnswer } from "../answer.ts";
import { sendAnswer } from "../context.ts";
import { PAGE_HEADERS } from "../page-shell.ts";

/** Where the build puts them. */
export const BUILT_FOLDER = fileURLToPath(new URL("../../../web/built/", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

/** Files without which no page can be shown. */
const NEEDED: readonly string[] = ["app.js", "app.css", "icon.svg"];

/** The files of the pages are missing or of a kind that this server does not know. */
export class PageNotBuilt extends Error {
  override readonly name = "PageNotBuilt";
}

/** Adds the files of a folder below /assets. @throws PageNotBuilt with a sentence that says what to do. */
export function registerAssets(app: FastifyInstance, folder: string): void {
  const files = filesOf(folder).map((name) => [name, readFile(folder, name)] as const);
  for (const [name, answer] of files) {
    app.get(`/assets/${name}`, async (request, reply) => sendAnswer(request, reply, answer));
  }
}

function filesOf(folder: string): readonly string[] {
  const names = namesIn(folder);
  const missing = NEEDED.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new PageNotBuilt(
      `the page is not built: ${folder} lacks ${missing.join(", ")}; run \`npm run gen\` in the program's folder`,
    );
  }
  return names;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readFile(folder: string, name: string): Answer {
  const type = TYPES[extname(name)];
  if (type === undefined) throw new PageNotBuilt(`the page has a file of an unknown kind: ${folder}${name}`);
  return { ...textAnswer(type, readFileSync(`${folder}/${name}`), PAGE_HEADERS), isLasting: true };
}
