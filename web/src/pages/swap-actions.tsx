// What is to be done in a swap, by whom and until when, and what happens if it is not done.

import { useNow } from "../clock.ts";
import { type Due, dueOf, SILENT_WORDS } from "../due.ts";
import { contact, health } from "../live.ts";
import { nothingWords } from "../parts/deadlines.ts";
import { AddressId, Badge, Deadline, Id, Pearl } from "../parts/basics.tsx";
import { useStore } from "../store.ts";
import { type Withheld, withheldOf, withheldWords } from "../withheld.ts";
import type { NextAction, SwapRow } from "../wire.ts";
import { ACTION_WORDS, type Tone } from "../words.ts";

/**
 * What stands in `next_actions`, and whether something else is only left out. A row that could not be read again
 * (`isCurrent` false) is as old as one of a service that is silent.
 */
export function Actions({ swap, isCurrent }: { swap: SwapRow; isCurrent: boolean }) {
  const now = useNow((seconds) => seconds);
  const withheld = withheldOf(swap, now, useStore(health));
  const isHeard = useStore(contact, ({ state }) => state !== "cut_off") && isCurrent;
  const steps = swap.next_actions.map((action) => ({ action, due: dueOf(action, now, isHeard) }));
  const isSomethingDue = steps.some(({ due }) => due === "may" || due === "must");
  return (
    <>
      {isHeard ? null : (
        <p class="notice bad" role="alert">
          {SILENT_WORDS}
        </p>
      )}
      {withheld === null ? null : <WithheldNotice swap={swap} withheld={withheld} />}
      {withheld !== null || isSomethingDue || !isHeard ? null : (
        <p class="notice quiet">
          {steps.length === 0
            ? nothingWords(swap)
            : "Nobody has to do anything at the moment. What may be done later:"}
        </p>
      )}
      {steps.length === 0 ? null : (
        <ol class="actions">
          {steps.map(({ action, due }) => (
            <Action key={`${action.action}:${action.outpoint}:${action.role}`} action={action} due={due} />
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

/** What anyone can do is the seller's to see to: the secret is sent for him (S-54). */
const ROLE_WORDS = {
  buyer: "The buyer",
  seller: "The seller",
  anyone: "The seller, or anybody for him,",
} as const;

const DUE_WORDS: Readonly<Record<Due, string>> = {
  late: "too late",
  early: "later",
  unknown: "not known",
  may: "may now",
  must: "must now",
};

const DUE_TONES: Readonly<Record<Due, Tone>> = {
  late: "idle",
  early: "idle",
  unknown: "bad",
  may: "good",
  must: "busy",
};

function Action({ action, due }: { action: NextAction; due: Due }) {
  const { what, otherwise, caution } = ACTION_WORDS[action.action];
  const isLate = due === "late";
  return (
    <li class="action">
      <p>
        <Badge tone={DUE_TONES[due]}>{DUE_WORDS[due]}</Badge> <strong>{ROLE_WORDS[action.role]}</strong>{" "}
        {isLate ? "can no longer" : action.optional ? "can" : "has to"} {what}
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
          <dt>{isLate ? "So" : "If not"}</dt>
          <dd>{otherwise}</dd>
        </div>
        {action.optional && !isLate && caution !== undefined ? (
          <div>
            <dt>But</dt>
            <dd>{caution}</dd>
          </div>
        ) : null}
      </dl>
    </li>
  );
}
