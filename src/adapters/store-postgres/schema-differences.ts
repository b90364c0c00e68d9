// Compares the schema of an index with the one that the migrations make. Triggers, rules, defaults and policies run inside
// the statements of whoever writes, an unlogged table is empty after a crash, and a type of other bounds rounds amounts:
// no row would tell.

import { CellReader } from "../store-rows/cells.ts";
import { differingObjects, type SchemaObject } from "../store-rows/schema-objects.ts";
import { makeSchema } from "./migrate.ts";
import { connectedPatiently, Session } from "./session.ts";

/**
 * The tables and sequences of a schema with all that hangs on them: the table's name, what it is and how it is defined.
 * Definitions that name a schema do so without it. That a column is not null stands with the column: newer servers have a
 * constraint for it, too. Storage parameters are the operator's.
 */
const OBJECTS = `WITH mine AS (
    SELECT oid, relname::text AS name, relkind::text AS kind, relpersistence, relrowsecurity FROM pg_class
      WHERE relnamespace = $1::text::oid AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')),
  found AS (
    SELECT name, 'relation ' || name AS object, concat_ws(' ', kind,
        CASE WHEN relpersistence = 'u' THEN 'unlogged' END, CASE WHEN relrowsecurity THEN 'secured' END) AS text FROM mine
    UNION ALL SELECT name, concat('column ', name, '.', attname), concat_ws(' ', format_type(atttypid, atttypmod),
        collname, attnotnull, attgenerated, attidentity, pg_get_expr(adbin, adrelid))
      FROM mine JOIN pg_attribute ON attrelid = mine.oid AND attnum > 0 AND NOT attisdropped AND kind <> 'S'
        LEFT JOIN pg_collation ON pg_collation.oid = attcollation
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL SELECT name, concat('index ', relname, ' on ', name), concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid)
      FROM mine JOIN pg_index ON indrelid = mine.oid JOIN pg_class ON pg_class.oid = indexrelid
    UNION ALL SELECT name, concat('constraint ', conname, ' of ', name), pg_get_constraintdef(pg_constraint.oid)
      FROM mine JOIN pg_constraint ON conrelid = mine.oid AND contype <> 'n'
    UNION ALL SELECT name, concat('trigger ', tgname, ' on ', name), concat_ws(' ', pg_get_triggerdef(pg_trigger.oid), tgenabled)
      FROM mine JOIN pg_trigger ON tgrelid = mine.oid AND NOT tgisinternal
    UNION ALL SELECT name, concat('rule ', rulename, ' on ', name), pg_get_ruledef(pg_rewrite.oid)
      FROM mine JOIN pg_rewrite ON ev_class = mine.oid
    UNION ALL SELECT name, concat('policy ', polname, ' on ', name), pg_get_expr(polqual, polrelid)
      FROM mine JOIN pg_policy ON polrelid = mine.oid
    UNION ALL SELECT name, 'numbers of ' || name, concat_ws(' ', seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax, seqcycle)
      FROM mine JOIN pg_sequence ON seqrelid = mine.oid)
  SELECT name, object, replace(replace(coalesce(text, ''), quote_ident(nspname) || '.', ''), 'pg_temp.', '')
    FROM found CROSS JOIN (SELECT nspname FROM pg_namespace WHERE oid = $1::text::oid) AS schema ORDER BY 1, 2, 3`;

const OWN_SCHEMA = "SELECT current_schema()::regnamespace::oid::text";
const SCRATCH_SCHEMA = "SELECT pg_my_temp_schema()::text";
const CAN_COMPARE = `SELECT (NOT pg_is_in_recovery()
  AND has_database_privilege(current_database(), 'TEMPORARY'))::int::bigint`;

/**
 * What the schema of the index at `url` has otherwise than a new one, a sentence each. A new one is made of temporary
 * tables, which are taken back: nobody else sees them, and nothing is changed. Whatever stands beside the tables of an
 * index is not looked at: it may be another program's. None where that cannot be made: at a standby, which has the
 * schema of its primary, and for a user who may not make temporary tables.
 */
export async function schemaDifferences(url: string): Promise<readonly string[]> {
  const session = await connectedPatiently(() => Session.open(url, "strand verify"));
  try {
    // A whole schema is made in a few statements: a busy server takes longer for one than a silence may be.
    await session.beginLongWork();
    const row = await session.first(CAN_COMPARE);
    if (row === null || !new CellReader(row).flag()) return [];
    await session.exec("BEGIN");
    const held = await objectsIn(session, OWN_SCHEMA);
    await session.exec("SET LOCAL search_path = pg_temp");
    await makeSchema(session);
    const right = await objectsIn(session, SCRATCH_SCHEMA);
    await session.exec("ROLLBACK");
    const own = new Set(right.map(({ relation }) => relation));
    return differingObjects(
      held.filter(({ relation }) => own.has(relation)),
      right,
    );
  } finally {
    await session.close();
  }
}

/** An object, and the table or sequence on which it hangs. */
interface HangingObject extends SchemaObject {
  readonly relation: string;
}

async function objectsIn(session: Session, schema: string): Promise<readonly HangingObject[]> {
  const place = await session.first(schema);
  if (place === null) return [];
  return (await session.all(OBJECTS, new CellReader(place).text())).map((row) => {
    const cells = new CellReader(row);
    const [relation, name] = [cells.text(), cells.text()];
    return { relation, name, text: JSON.stringify([name, cells.text()]) };
  });
}
