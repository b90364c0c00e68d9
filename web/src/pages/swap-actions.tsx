// What is to be done in a swap, by whom and until when, and what happens if it is not done.

import { useNow } from "../clock.ts";
import { health } from "../live.ts";
import { AddressId, Badge, Deadline, Id, Pearl } from "../parts/basics.tsx";
import { useStore } from "../store.ts";
import { type Withheld, withheldOf, withheldWords } from "../withheld.ts";
import type { NextAction, SwapRow } from "../wire.ts";
import { ACTION_WORDS } from "../words.ts";

/** What stands in `next_actions`, and whether something else is only left out. */
export function Actions({ swap }: { swap: SwapRow }) {
  const now = useNow((seconds) => seconds);
  const withheld = withheldOf(swap, now, useStore(health));
  const actions = swap.next_actions;
  const isSomethingDue = actions.some((action) => !isEarly(action, now) && !isLate(action, now));
  return (
    <>
      {withheld === null ? null : <WithheldNotice swap={swap} withheld={withheld} />}
      {withheld !== null || isSomethingDue ? null : (
        <p class="notice quiet">
          {actions.length === 0
            ? nothingWords(swap)
            : "Nobody has to do anything at the moment. What may be done later:"}
        </p>
      )}
      {actions.length === 0 ? null : (
        <ol class="actions">
          {actions.map((action) => (
            <Action key={`${action.action}:${action.outpoint}:${action.role}`} action={action} now={now} />
          ))}
        </ol>
      )}
    </>
  );
}

function WithheldNotice({ swap, withheld }: { swap: SwapRow; withheld: Withheld }) {
  return (
    <>
      <p class="notice bad" role="alert">
        {withheldWords(withheld)} <a href="/status">Status</a> tells how both indexes are, and{" "}
        <code>POST /api/v1/swaps/deals/{swap.deal_hash}/verify-lock</code> what is missing.
      </p>
      {withheld.steps.map(({ action, until }) => (
        <p key={action}>
          The last moment for it stays <Deadline at={until} />.
        </p>
      ))}
    </>
  );
}

function isEarly({ not_before: from }: NextAction, now: number): boolean {
  return from !== null && now < from;
}

function isLate({ not_after: until }: NextAction, now: number): boolean {
  return until !== null && now > until;
}

const ROLE_WORDS = { buyer: "The buyer", seller: "The seller", anyone: "Anybody" } as const;

function Action({ action, now }: { action: NextAction; now: number }) {
  const { what, otherwise, caution } = ACTION_WORDS[action.action];
  const [early, late] = [isEarly(action, now), isLate(action, now)];
  const tone = late || early ? "idle" : action.optional ? "good" : "busy";
  const when = late ? "too late" : early ? "later" : action.optional ? "may now" : "must now";
  return (
    <li class={`action ${early || late ? "quieter" : ""}`}>
      <p>
        <Badge tone={tone}>{when}</Badge> <strong>{ROLE_WORDS[action.role]}</strong>{" "}
        {action.optional ? "can" : "has to"} {what}
        {action.amount_sat === null ? "" : " ("}
        {action.amount_sat === null ? null : <Pearl sat={action.amount_sat} />}
        {action.amount_sat === null ? "" : ")"}.
      </p>
      <dl class="facts tight">
        {action.not_before === null ? null : (
          <div>
            <dt>From</dt>
            <dd>
              <Deadline at={action.not_before} />
            </dd>
          </div>
        )}
        {action.not_after === null ? null : (
          <div>
            <dt>Until</dt>
            <dd>
              <Deadline at={action.not_after} />
            </dd>
          </div>
        )}
        {action.actor === null ? null : (
          <div>
            <dt>By</dt>
            <dd>
              <AddressId address={action.actor} />
            </dd>
          </div>
        )}
        {action.outpoint === null ? null : (
          <div>
            <dt>Output</dt>
            <dd>
              <Id id={action.outpoint} what="outpoint" />
            </dd>
          </div>
        )}
        <div>
          <dt>If not</dt>
          <dd>{otherwise}</dd>
        </div>
        {action.optional && !late && caution !== undefined ? (
          <div>
            <dt>But</dt>
            <dd>{caution}</dd>
          </div>
        ) : null}
      </dl>
    </li>
  );
}

/** Nothing is in `next_actions`: over for good is only what is final. */
function nothingWords({ status, evm_leg: leg }: SwapRow): string {
  return status === "SETTLED" && leg.final
    ? "Nothing more: the swap is over."
    : "Nothing at the moment. What comes next shows here by itself.";
}
