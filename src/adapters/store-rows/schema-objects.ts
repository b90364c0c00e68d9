// The objects of a schema, and in what a schema differs from the one that the migrations make, in either engine.

/** An object of a schema: a table, an index, whatever runs or is checked when somebody writes. */
export interface SchemaObject {
  /** As people are told of it. */
  readonly name: string;
  /** Everything by which it can differ. */
  readonly text: string;
}

/** What `held` has otherwise than `right`, a sentence each; none where both are equal. */
export function differingObjects(
  held: readonly SchemaObject[],
  right: readonly SchemaObject[],
): readonly string[] {
  return [
    ...without(held, right).map(
      ({ name }) => `The schema holds the ${name}, which this program does not make so.`,
    ),
    ...without(right, held).map(({ name }) => `The schema lacks the ${name} as this program makes it.`),
  ];
}

/** The objects of `some` that are not in `others`; one that is there more often is one of them. */
function without(some: readonly SchemaObject[], others: readonly SchemaObject[]): readonly SchemaObject[] {
  const left = others.map(({ text }) => text);
  return some.filter(({ text }) => {
    const at = left.indexOf(text);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
