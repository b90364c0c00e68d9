// Writes the tokens that a transaction changes; a new one gets all its prefixes.

import type { TokenRow } from "../../../prc20/state.ts";
import { ChangedTokens } from "../../store-rows/changed-tokens.ts";
import { prefixesOf } from "../../store-rows/row-shapes.ts";
import { runningCells, storedTokenCells, TOKEN, TOKEN_RUNNING } from "../../store-rows/written-rows.ts";
import type { Session } from "../session.ts";
import type { AddressIds } from "./address-ids.ts";
import { RowBatch } from "./row-batch.ts";

/** Tokens of one transaction. */
export class TokenChanges extends ChangedTokens {
  readonly #addresses: AddressIds;

  constructor(addresses: AddressIds) {
    super();
    this.#addresses = addresses;
  }

  /** Writes what was set. */
  async write(session: Session): Promise<void> {
    const { gone, changed, fresh } = this.writes;
    const ticks = new RowBatch("token", { tick: "text" });
    for (const { tick } of gone) ticks.add(tick);
    await ticks.remove(session);
    await prefixRows(gone).remove(session);
    const running = new RowBatch("token", { tick: "text", ...TOKEN_RUNNING });
    for (const row of changed) running.add(row.tick, ...runningCells(row));
    await running.update(session, ["tick"]);
    const whole = new RowBatch("token", TOKEN);
    for (const row of fresh) whole.add(...storedTokenCells(row, this.#addresses.idOf(row.deployer)));
    await whole.insert(session);
    await prefixRows(fresh).insert(session);
  }
}

function prefixRows(tokens: readonly TokenRow[]): RowBatch {
  const rows = new RowBatch("token_prefix", { prefix: "text", deploy_place: "bigint" });
  for (const { tick, deployPlace } of tokens)
    for (const prefix of prefixesOf(tick)) rows.add(prefix, deployPlace);
  return rows;
}
