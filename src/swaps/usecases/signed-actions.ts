// POST asks/{ask_id}/pause|resume|cancel: a seller changes an ask of his by signature (H-42).

import type { Bytes32 } from "../../primitives/brands.ts";
import { parseTime, parseOrigin, parsePrintable } from "../../swap/forms.ts";
import type { AskRecord } from "../../swap/records.ts";
import { bidRow } from "../../swap/rows.ts";
import type { Moment } from "../../swap/subject.ts";
import { refusal, answer, invalidFields, type SwapOutcome } from "./outcome.ts";
import { rowOfAsk, type SwapParts } from "./parts.ts";
import { readFields, required, optional } from "./read-fields.ts";
import type { AskActionName, RequestBody } from "./swap-service.ts";

/** Farthest deadline of an action, seconds ahead. */
const MAX_DEADLINE_S = 3600;

/** Carries out a signed action. */
export async function actOnAsk(
  parts: SwapParts,
  askId: Bytes32,
  action: AskActionName,
  body: RequestBody,
): Promise<SwapOutcome> {
  const read = readFields(body, { deadline: required(parseTime) });
  if (!read.ok) return read.error;
  const { deadline } = read.value;
  const ask = parts.ledger.ask(askId);
  if (ask === null) return refusal("ASK_NOT_FOUND");
  const digest = parts.digests.askAction({ askId, action, deadline });
  const verdict = await parts.signatures.judge(ask.terms.seller, digest, body["signature"]);
  if (verdict.kind === "unavailable") return refusal("EVM_RPC_UNAVAILABLE");
  if (verdict.kind === "invalid") return refusal("ASK_ACTION_SIGNATURE_INVALID");
  const asked: AskedAction = { askId, action, deadline };
  const early = await decided(parts, asked);
  if (early.kind !== "goes-on") return early;
  // Before it is open again: a resumed ask must not be offered on the word of an old balance (S-34). Looked up before
  // the lock is taken, so that nobody's ask waits for a slow source.
  if (action === "resume") await parts.rechecks.look(ask.terms.sellerPearlAddress, "request");
  return parts.locks.run("asks", async () => {
    const outcome = await decided(parts, asked);
    if (outcome.kind !== "goes-on") return outcome;
    const changed = changedBy(outcome.ask, action, deadline, parts.readiness.moment());
    await parts.ledger.write({ asks: [changed] });
    return shown(parts, changed, action);
  });
}

interface AskedAction {
  readonly askId: Bytes32;
  readonly action: AskActionName;
  readonly deadline: number;
}

/** What an action comes to without changing anything, or the ask that it changes. */
async function decided(
  parts: SwapParts,
  { askId, action, deadline }: AskedAction,
): Promise<SwapOutcome | { readonly kind: "goes-on"; readonly ask: AskRecord }> {
  const { ledger, readiness } = parts;
  await ledger.settled();
  const ask = ledger.ask(askId);
  if (ask === null) return refusal("ASK_NOT_FOUND");
  const last = ask.lastAction;
  if (last?.action === action && last.deadline === deadline) return shown(parts, ask, action);
  const moment = readiness.moment();
  const wrong = deadlineFault(deadline, last?.deadline ?? 0, moment.now);
  if (wrong !== null) return invalidFields({ deadline: wrong });
  const status = ledger.askStatus(ask, moment);
  if (status === "ASK_TAKEN" || status === "ASK_CANCELLED") return refusal(status);
  return { kind: "goes-on", ask };
}

/** `deadline` in (now, now + 3600] and greater than that of the last accepted action. */
function deadlineFault(deadline: number, last: number, now: number): string | null {
  if (deadline <= now || deadline > now + MAX_DEADLINE_S) {
    return `must be after ${now} and at most ${now + MAX_DEADLINE_S}`;
  }
  return deadline > last ? null : `must be greater than that of the last accepted action, ${last}`;
}

function changedBy(ask: AskRecord, action: AskActionName, deadline: number, { now }: Moment): AskRecord {
  const pausedBySignature = action === "pause" || (action === "cancel" && ask.pausedBySignature);
  const cancelledBySignature = ask.cancelledBySignature || action === "cancel";
  const isSame =
    pausedBySignature === ask.pausedBySignature && cancelledBySignature === ask.cancelledBySignature;
  return {
    ...ask,
    pausedBySignature,
    cancelledBySignature,
    lastAction: { action, deadline },
    updatedAt: isSame ? ask.updatedAt : now,
  };
}

function shown({ ledger, readiness }: SwapParts, ask: AskRecord, action: AskActionName): SwapOutcome {
  const row = rowOfAsk(ledger, ask, readiness.moment());
  // The contract knows nothing of it: whoever holds the signed ask can still take it (S-33).
  return answer(action === "cancel" ? { ...row, binding_on_chain: false } : row);
}

const MAX_REF = 128;

/** Keeps the origin; the last valid one wins. */
export async function setOrigin(
  parts: SwapParts,
  orderHash: Bytes32,
  body: RequestBody,
): Promise<SwapOutcome> {
  const { ledger, digests, signatures } = parts;
  const read = readFields(body, {
    origin: required(parseOrigin),
    ref: optional((value: unknown) => parsePrintable(value, MAX_REF, 0)),
  });
  if (!read.ok) return read.error;
  const { origin, ref } = read.value;
  const order = ledger.subject(orderHash)?.order ?? null;
  if (order === null) return refusal("ORDER_NOT_FOUND");
  const digest = digests.bidOrigin({ orderHash, origin, ref: ref ?? "" });
  const verdict = await signatures.judge(order.terms.buyer, digest, body["signature"]);
  if (verdict.kind === "unavailable") return refusal("EVM_RPC_UNAVAILABLE");
  if (verdict.kind === "invalid") return refusal("ORIGIN_SIGNATURE_INVALID");
  await ledger.write({ origins: [{ orderHash, origin, ref }] });
  const subject = ledger.subject(orderHash);
  const row = subject === null ? null : bidRow(subject, parts.readiness.moment(), parts.rules);
  // A reorganisation may have taken the order away while its buyer's account was asked.
  return row === null ? refusal("ORDER_NOT_FOUND") : answer(row);
}
