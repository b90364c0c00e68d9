// Breaks that nobody thought of: small changes made by rule to every file of the pure core, of which a seed picks some.
// Comparisons and operators are exchanged, constants moved by one, negations, early returns and calls left out.

import { globSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { Random } from "../../testkit/random.ts";
import type { Break } from "./break.ts";

/** One change of `text[start, end)`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replace: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const OPERATORS: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
  "<<": ">>",
  ">>>": "<<",
  "&": "|",
  "|": "&",
};

/** `count` breaks of the pure core, the same ones for the same seed and the same sources. */
export function generatedBreaks(count: number, seed: number): Break[] {
  const files = globSync("src/{primitives,chain,prc20}/**/*.ts").toSorted();
  const all = files
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) => {
      const text = readFileSync(file, "utf8");
      return editsOf(file, text).map((edit) => breakOf(file, text, edit));
    });
  const picked: Break[] = [];
  const random = new Random(seed);
  while (picked.length < count && all.length > 0) {
    picked.push(...all.splice(random.below(all.length), 1));
  }
  return picked;
}

/** The edit as a break: with as much text around it as makes it unique. */
function breakOf(file: string, text: string, { start, end, replace }: Edit): Break {
  let [from, to] = [start, end];
  while (text.indexOf(text.slice(from, to)) !== text.lastIndexOf(text.slice(from, to)) || from === to) {
    from = Math.max(0, from - 8);
    to = Math.min(text.length, to + 8);
  }
  const line = text.slice(0, start).split("\n").length;
  const was = text.slice(start, end).replaceAll(/\s+/g, " ").slice(0, 70);
  return {
    rule: `generated ${file}:${line}`,
    file,
    find: text.slice(from, to),
    replace: text.slice(from, start) + replace + text.slice(end, to),
    why: `${was} -> ${replace === ";" ? "nothing" : replace.slice(0, 70)}`,
  };
}

function editsOf(file: string, text: string): Edit[] {
  const { program } = parseSync(file, text);
  const edits: Edit[] = [];
  const skipped: Span[] = [];
  const skip = (node: Span): void => void skipped.push(node);
  const edit = (node: Span, replace: string): void =>
    void edits.push({ start: node.start, end: node.end, replace });
  const operator = (node: { left: Span; right: Span; operator: string }): void => {
    const other = OPERATORS[node.operator];
    const at = text.indexOf(node.operator, node.left.end);
    if (other !== undefined) edit({ start: at, end: at + node.operator.length }, other);
  };
  new Visitor({
    // Types are not there when the program runs; exceptions are for bugs, which no test of behaviour reaches.
    TSTypeAnnotation: skip,
    TSTypeAliasDeclaration: skip,
    TSInterfaceDeclaration: skip,
    TSTypeParameterInstantiation: skip,
    ImportDeclaration: skip,
    ThrowStatement: skip,
    BinaryExpression: operator,
    LogicalExpression: operator,
    UnaryExpression(node) {
      if (node.operator === "!") edit(node, text.slice(node.argument.start, node.argument.end));
    },
    Literal(node) {
      if (typeof node.value === "number") edit(node, `${node.value + 1}`);
      else if (typeof node.value === "bigint") edit(node, `${node.value + 1n}n`);
      else if (typeof node.value === "boolean") edit(node, `${!node.value}`);
    },
    ConditionalExpression({ consequent, alternate }) {
      const [first, second] = [consequent, alternate].map((part) => text.slice(part.start, part.end));
      edit({ start: consequent.start, end: alternate.end }, `${second} : ${first}`);
    },
    IfStatement(node) {
      if (node.consequent.type === "ThrowStatement") skip(node);
      else if (node.alternate === null) edit(node, ";");
    },
    ExpressionStatement(node) {
      if (node.expression.type === "CallExpression") edit(node, ";");
    },
  }).visit(program);
  return edits.filter(({ start, end }) => !skipped.some((span) => span.start <= start && end <= span.end));
}
