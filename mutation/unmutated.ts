// Names the places of the program that are not mutated, as plugins that StrykerJS loads: sentences for people (SQL is one
// too: nothing runs without it), and in the pure core the checks that throw, where an exception means a bug of ours that no
// test of behaviour reaches.

/** The part of a Babel node that is looked at here. */
interface SyntaxNode {
  readonly type: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
  readonly consequent?: SyntaxNode;
  readonly body?: readonly SyntaxNode[] | SyntaxNode;
}

/** A place in Babel's tree, as StrykerJS shows it to a plugin. */
interface SyntaxPath {
  readonly node: SyntaxNode;
}

/** Words with a space between them. Codes, names of fields and patterns have none. */
function isSentence({ type, value, quasis }: SyntaxNode): boolean {
  if (type === "StringLiteral") return typeof value === "string" && /\S \S/.test(value);
  return type === "TemplateLiteral" && (quasis ?? []).some((part) => / /.test(part.value.raw));
}

function throws({ type, body }: SyntaxNode): boolean {
  if (type === "ThrowStatement") return true;
  if (type !== "BlockStatement" || !Array.isArray(body)) return false;
  const [first] = body as readonly SyntaxNode[];
  return first?.type === "ThrowStatement";
}

function isBugCheck(node: SyntaxNode): boolean {
  const { type, consequent } = node;
  return throws(node) || (type === "IfStatement" && consequent !== undefined && throws(consequent));
}

function leavesOut(name: string, reason: string, isLeftOut: (node: SyntaxNode) => boolean): object {
  const shouldIgnore = ({ node }: SyntaxPath): string | undefined => (isLeftOut(node) ? reason : undefined);
  return { kind: "Ignore", name, value: { shouldIgnore } };
}

/** What StrykerJS reads from this file. The configuration asks for `sentences` and `bugs` by these names. */
export const strykerPlugins = [
  leavesOut("sentences", "a sentence for people", isSentence),
  leavesOut("bugs", "an exception means a bug", isBugCheck),
];
