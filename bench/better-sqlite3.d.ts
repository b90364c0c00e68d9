// The few calls of better-sqlite3 that the reference peers make.
declare module "better-sqlite3" {
  interface Statement {
    run(...values: unknown[]): unknown;
    get(...values: unknown[]): unknown;
    all(...values: unknown[]): unknown[];
  }
  class Database {
    constructor(file: string);
    pragma(text: string): unknown;
    exec(text: string): unknown;
    prepare(text: string): Statement;
    transaction(work: () => void): () => void;
    close(): void;
  }
  export default Database;
}
