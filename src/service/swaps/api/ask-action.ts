// POST asks/{ask_id}/pause|resume|cancel: a seller changes an ask of his by signature (H-42).

import type { Bytes32 } from "../../../primitives/brands.ts";
import type { AskRecord } from "../../../swap/records.ts";
import type { Moment } from "../../../swap/subject.ts";
import { parseTime } from "../../../swap/times.ts";
import { rowOfAsk } from "./ask-view.ts";
import { recheckGroup } from "./ask-recheck.ts";
import { refusal } from "./messages.ts";
import { answer, invalidFields, type SwapOutcome } from "./outcome.ts";
import type { SwapParts } from "./parts.ts";
import { readFields, required } from "./read-fields.ts";
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
  return parts.locks.run(`seller:${ask.terms.seller}`, () => carryOut(parts, askId, action, deadline));
}

async function carryOut(
  parts: SwapParts,
  askId: Bytes32,
  action: AskActionName,
  deadline: number,
): Promise<SwapOutcome> {
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
  // Before it is open again: a resumed ask must not be offered on the word of an old balance (S-34).
  if (action === "resume") await recheckGroup(parts, ask);
  const changed = changedBy(ledger.ask(askId) ?? ask, action, deadline, moment);
  await ledger.write({ asks: [changed] });
  return shown(parts, changed, action);
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
