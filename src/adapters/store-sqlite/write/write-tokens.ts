// Writes token rows of a transaction; a new row gets all its prefixes.

import type { TokenRow } from "../../../prc20/state.ts";
import type { AddressIds } from "../address-ids.ts";
import type { Connection } from "../connection.ts";
import { ChangedTokens } from "../../store-rows/changed-tokens.ts";
import { prefixesOf } from "../../store-rows/row-shapes.ts";
import { runningCells, storedTokenCells, TOKEN, TOKEN_RUNNING } from "../../store-rows/written-rows.ts";
import { insertInto, updateOf } from "../statements.ts";

const INSERT = insertInto("token", TOKEN);
const UPDATE = `${updateOf("token", TOKEN_RUNNING)} WHERE tick = ?`;

/** Token rows of one write transaction. */
export class TokenWriter extends ChangedTokens {
  readonly #connection: Connection;
  readonly #addressIds: AddressIds;

  constructor(connection: Connection, addressIds: AddressIds) {
    super();
    this.#connection = connection;
    this.#addressIds = addressIds;
  }

  /** Writes what was set. */
  flush(): void {
    const { gone, changed, fresh } = this.writes;
    for (const row of gone) this.#remove(row);
    for (const row of changed) this.#update(row);
    for (const row of fresh) this.#insert(row);
    this.discard();
  }

  #insert(row: TokenRow): void {
    this.#connection.run(INSERT, ...storedTokenCells(row, this.#addressIds.idOf(row.deployer)));
    for (const prefix of prefixesOf(row.tick)) {
      this.#connection.run(
        "INSERT INTO token_prefix (prefix, deploy_place) VALUES (?, ?)",
        prefix,
        row.deployPlace,
      );
    }
  }

  #update(row: TokenRow): void {
    const changes = this.#connection.run(UPDATE, ...runningCells(row), row.tick);
    if (changes !== 1) throw new Error(`store: the token ${row.tick} is not stored`);
  }

  #remove(row: TokenRow): void {
    this.#connection.run("DELETE FROM token WHERE tick = ?", row.tick);
    for (const prefix of prefixesOf(row.tick)) {
      this.#connection.run(
        "DELETE FROM token_prefix WHERE prefix = ? AND deploy_place = ?",
        prefix,
        row.deployPlace,
      );
    }
  }
}
