// The one document behind every page: a title, the style, the script that asks the interface and draws, and words for
// whoever runs no script. It holds no row and no inline script or style, so that its policy can forbid both.

import { type Answer, qualitiesIn, textAnswer } from "./answer.ts";

/** What a browser may load for a page: files and answers of this server, nothing else; and whom it is told about. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

/** First segments of paths that are for programs: what is absent there is told in JSON, whoever asks. */
const MACHINE_ROOTS: readonly string[] = ["api", "assets", "docs", "health", "openapi.json"];

/** True for the paths of programs, existing or not. */
export function isMachinePath(path: string): boolean {
  return MACHINE_ROOTS.includes(path.split("/", 2)[1] ?? "");
}

/** Whether an `Accept` header wants `text/html` more than JSON (RFC 9110 §12.5.1); without one nobody does. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const qualities = qualitiesIn(accept);
  const quality = (type: string, subtype: string): number =>
    qualities.get(`${type}/${subtype}`) ?? qualities.get(`${type}/*`) ?? qualities.get("*/*") ?? 0;
  return quality("text", "html") > quality("application", "json");
}

/** The page of a thing that exists, or may. `title`: plain text, without the program's name. */
export function presentPage(title: string): Answer {
  return textAnswer("text/html; charset=utf-8", shell(`${title} · Strand`), PAGE_HEADERS);
}

/** The page of what does not exist: 404 with the same document, whose script says in words what is missing. */
export function absentPage(title: string): Answer {
  const page = presentPage(title);
  return { ...page, status: 404, headers: { ...page.headers, vary: "accept, accept-encoding" } };
}

function shell(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/app.css">
<script type="module" src="/assets/app.js"></script>
</head>
<body>
<div id="page"></div>
<noscript>
<h1>${escaped(title)}</h1>
<p>This page is drawn by JavaScript, which is switched off here or not known. Everything that it shows is also in the
HTTP interface, without JavaScript: <a href="/health">/health</a> tells how the service stands,
<a href="/api/v1/prc20/tokenlist">/api/v1/prc20/tokenlist</a> lists the tokens, and
<a href="/openapi.json">/openapi.json</a> describes every path. <a href="/docs">/docs</a> shows that description to
browsers with JavaScript.</p>
</noscript>
</body>
</html>
`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it may stand in an element or an attribute of HTML. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
