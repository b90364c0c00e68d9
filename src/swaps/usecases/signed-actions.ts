// Changes that a party makes by signature: POST asks/{ask_id}/pause|resume|cancel by the seller (H-42), and POST
// bids/{order_hash}/origin, by which a buyer says where a bid was made (S-64).

import type { Bytes32 } from "../../primitives/brands.ts";
import { err, ok, type Result } from "../../primitives/result.ts";
import { parseTime, parseOrigin, parsePrintable } from "../../swap/forms.ts";
import type { AskActionName, AskRecord } from "../../swap/records.ts";
import { bidRow } from "../../swap/rows.ts";
import type { EvaluationContext } from "../../swap/subject.ts";
import { whatIsNamed } from "../ledger/closed-port.ts";
import { refusal, answer, invalidFields, type SwapOutcome } from "./outcome.ts";
import { rowOfAsk, type SwapDependencies } from "./dependencies.ts";
import { readFields, required, optional } from "./read-fields.ts";
import type { RequestBody } from "./swap-service.ts";

/** Farthest deadline of an action, seconds ahead. */
const MAX_DEADLINE_S = 3600;

/** Carries out a signed action. */
export async function actOnAsk(
  deps: SwapDependencies,
  askId: Bytes32,
  action: AskActionName,
  body: RequestBody,
): Promise<SwapOutcome> {
  const read = readFields(body, { deadline: required(parseTime) });
  if (!read.ok) return read.error;
  const { deadline } = read.value;
  const closed = whatIsNamed(askId);
  const ask = await deps.ledger.reading(closed, (reads) => reads.ask(askId));
  if (ask === null) return refusal("ASK_NOT_FOUND");
  const digest = deps.digests.askAction({ askId, action, deadline });
  const verdict = await deps.signatures.judge(ask.terms.seller, digest, body["signature"]);
  if (verdict.kind === "unavailable") return refusal("EVM_RPC_UNAVAILABLE");
  if (verdict.kind === "invalid") return refusal("ASK_ACTION_SIGNATURE_INVALID", { digest });
  const asked: AskedAction = { askId, action, deadline };
  await deps.ledger.open(closed);
  const early = await decided(deps, asked);
  if (!early.ok) return early.error;
  // Before it is open again: a resumed ask must not be offered on the word of an old balance (S-34). Looked up before
  // the lock is taken, so that nobody's ask waits for a slow source.
  if (action === "resume") await deps.rechecks.look(ask.terms.sellerPearlAddress, "request");
  return deps.locks.run("asks", async () => {
    const present = await decided(deps, asked);
    if (!present.ok) return present.error;
    const { ask: before, refused } = present.value;
    const changed = changedBy(before, action, deadline, deps.readiness.context());
    await deps.ledger.write({ asks: [changed] });
    return refused ?? shown(deps, changed, action);
  });
}

interface AskedAction {
  readonly askId: Bytes32;
  readonly action: AskActionName;
  readonly deadline: number;
}

/** The ask that an action changes, and what is answered where that is a refusal. */
interface Decided {
  readonly ask: AskRecord;
  readonly refused: SwapOutcome | null;
}

/**
 * What an action changes, or what it comes to without changing anything. Where the ask has ended by what is not final, or by
 * what an EVM RPC denies, a pause or cancellation is refused, and kept: the ask may come back, and its seller, who was told
 * that it had ended, would not know.
 */
async function decided(
  deps: SwapDependencies,
  { askId, action, deadline }: AskedAction,
): Promise<Result<Decided, SwapOutcome>> {
  const { ledger, readiness } = deps;
  await ledger.settled();
  const ask = ledger.ask(askId);
  if (ask === null) return err(refusal("ASK_NOT_FOUND"));
  const last = ask.lastAction;
  if (last?.action === action && last.deadline === deadline) return err(shown(deps, ask, action));
  const context = readiness.context();
  const wrong = deadlineFault(deadline, last?.deadline ?? 0, context.now);
  if (wrong !== null) return err(invalidFields({ deadline: wrong }));
  const status = ledger.askStatus(ask, context);
  if (status !== "ASK_TAKEN" && status !== "ASK_CANCELLED") return ok({ ask, refused: null });
  const refused = refusal(status);
  return action === "resume" || ledger.isAskOver(ask, context) ? err(refused) : ok({ ask, refused });
}

/** `deadline` in (now, now + 3600] and greater than that of the last accepted action. */
function deadlineFault(deadline: number, last: number, now: number): string | null {
  if (deadline <= now || deadline > now + MAX_DEADLINE_S) {
    return `must be after ${now} and at most ${now + MAX_DEADLINE_S}`;
  }
  return deadline > last ? null : `must be greater than that of the last accepted action, ${last}`;
}

function changedBy(
  ask: AskRecord,
  action: AskActionName,
  deadline: number,
  { now }: EvaluationContext,
): AskRecord {
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

function shown({ ledger, readiness }: SwapDependencies, ask: AskRecord, action: AskActionName): SwapOutcome {
  const row = rowOfAsk(ledger, ask, readiness.context());
  // The contract knows nothing of it: whoever holds the signed ask can still take it (S-33).
  return answer(action === "cancel" ? { ...row, binding_on_chain: false } : row);
}

const MAX_REF = 128;

/** Keeps the origin; the last valid one wins. */
export async function setOrigin(
  deps: SwapDependencies,
  orderHash: Bytes32,
  body: RequestBody,
): Promise<SwapOutcome> {
  const { ledger, digests, signatures } = deps;
  const read = readFields(body, {
    origin: required(parseOrigin),
    ref: optional((value: unknown) => parsePrintable(value, MAX_REF, 0)),
  });
  if (!read.ok) return read.error;
  const { origin, ref } = read.value;
  const order = await ledger.reading(
    whatIsNamed(orderHash),
    (reads) => reads.subject(orderHash)?.order ?? null,
  );
  if (order === null) return refusal("ORDER_NOT_FOUND");
  const digest = digests.bidOrigin({ orderHash, origin, ref: ref ?? "" });
  const verdict = await signatures.judge(order.terms.buyer, digest, body["signature"]);
  if (verdict.kind === "unavailable") return refusal("EVM_RPC_UNAVAILABLE");
  if (verdict.kind === "invalid") return refusal("ORIGIN_SIGNATURE_INVALID", { digest });
  await ledger.write({ origins: [{ orderHash, origin, ref }] });
  const subject = ledger.subject(orderHash);
  const row = subject === null ? null : bidRow(subject, deps.readiness.context(), deps.rules);
  // A reorganisation may have taken the order away while its buyer's account was asked.
  return row === null ? refusal("ORDER_NOT_FOUND") : answer(row);
}
