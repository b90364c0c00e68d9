// Finds the documents of the repository and what they name, for the tests of this folder.

import { existsSync, globSync, readFileSync } from "node:fs";

/** A document with its path from the repository's root. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

/** Every Markdown file of the repository, installed packages aside. */
export function documents(): readonly Document[] {
  const paths = globSync("**/*.md", {
    exclude: (path) => path === "node_modules" || path.endsWith("/node_modules") || path === "data",
  });
  return paths.toSorted().map((path) => ({ path, text: readFileSync(path, "utf8") }));
}

/** One document. */
export function readDocument(path: string): Document {
  return { path, text: readFileSync(path, "utf8") };
}

/** The text without fenced blocks, in which nothing is a link or a path of ours. */
export function prose({ text }: Document): string {
  return text.replaceAll(/^```[^\n]*\n[\s\S]*?^```$/gm, "");
}

/** What stands between single backticks in the prose. */
export function codeSpans(document: Document): readonly string[] {
  return [...prose(document).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? "");
}

/** Code spans that are paths of this repository: those below one of its folders. */
export function namedPaths(document: Document): readonly string[] {
  return codeSpans(document).filter((span) =>
    /^(src|web|test|testkit|demo|scripts|contracts|fuzz|docs|bin|bench|\.ci)\/[\w./-]*$/.test(span),
  );
}

/** True for an existing file or folder. */
export function exists(path: string): boolean {
  return existsSync(path);
}

/** The anchors that a renderer makes of a document's headings. */
export function anchorsOf(document: Document): ReadonlySet<string> {
  const headings = [...prose(document).matchAll(/^#{1,6} (.*)$/gm)].map((match) => match[1] ?? "");
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Ids of rules and assumptions in a text, as P-40, H-06, A-12, A-104. */
export function idsIn(text: string, letters: string): ReadonlySet<string> {
  return new Set(text.match(new RegExp(`\\b[${letters}]-[0-9]{2,3}\\b`, "g")));
}
