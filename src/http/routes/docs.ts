// Serves the documents of the interface: /openapi.json, and a page at /docs that shows it with everything it needs from
// this server (H-50).

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import { type Answer, jsonAnswer, textAnswer } from "../answer.ts";
import { sendAnswer } from "../context.ts";
import type { OpenApiDocument } from "../openapi.ts";

/** The page's script and style: Swagger UI, as its Fastify package carries it. */
const UI_FOLDER = join(
  dirname(createRequire(import.meta.url).resolve("@fastify/swagger-ui/package.json")),
  "static",
);

/**
 * What a browser may load for the page: this server's scripts and answers, nothing else. No `upgrade-insecure-requests`:
 * over plain http on a LAN it would make the page ask for its own files by https. Swagger UI sets styles in the
 * document and draws its arrows as data: images.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Strand: HTTP interface</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<header><img src="/docs/icon.svg" alt=""><strong>Strand</strong><a href="/openapi.json">openapi.json</a></header>
<main id="interface"></main>
<noscript>This page needs JavaScript; the same is in /openapi.json.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
</body>
</html>
`;

/** The bare layout has no bar with somebody's logo; without a validator nothing of the document leaves the browser. */
const SCRIPT = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#interface",
  layout: "BaseLayout",
  validatorUrl: null,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  deepLinking: true,
});
`;

const STYLE = `body { margin: 0; }
header { display: flex; gap: 0.6rem; align-items: center; padding: 0.6rem 1.2rem; background: #14213d; color: #fff; font: 1.1rem sans-serif; }
header img { width: 1.6rem; height: 1.6rem; }
header a { margin-left: auto; color: #cfd8ea; font-size: 0.9rem; }
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#2a9d8f"/><path d="M6 11c7-8 13 8 20 0M6 21c7-8 13 8 20 0" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>
`;

function uiFile(name: string): Buffer {
  return readFileSync(join(UI_FOLDER, name));
}

/** Files below /docs: name, type, text. Read once, when the server is built. */
function files(): readonly (readonly [name: string, type: string, text: string | Buffer])[] {
  return [
    ["page.js", "text/javascript; charset=utf-8", SCRIPT],
    ["page.css", "text/css; charset=utf-8", STYLE],
    ["icon.svg", "image/svg+xml", ICON],
    ["swagger-ui.css", "text/css; charset=utf-8", uiFile("swagger-ui.css")],
    ["swagger-ui-bundle.js", "text/javascript; charset=utf-8", uiFile("swagger-ui-bundle.js")],
  ];
}

/** The answer that is made for the first who asks, and is the same for all others: most starts see nobody who reads. */
function madeOnce(make: () => Answer): () => Answer {
  let made: Answer | null = null;
  return () => (made ??= make());
}

function documentFile(type: string, text: string | Buffer): Answer {
  return textAnswer(type, text, { "content-security-policy": POLICY });
}

/** Adds the documents. */
export function registerDocs(app: FastifyInstance, document: () => OpenApiDocument): void {
  const serve = (path: string, make: () => Answer): void => {
    const answer = madeOnce(make);
    app.get(path, async (request, reply) => sendAnswer(request, reply, answer()));
  };
  serve("/openapi.json", () => jsonAnswer(200, document()));
  for (const path of ["/docs", "/docs/"]) serve(path, () => documentFile("text/html; charset=utf-8", PAGE));
  for (const [name, type, text] of files()) serve(`/docs/${name}`, () => documentFile(type, text));
}
