// POST bids/{order_hash}/origin: a buyer says where a bid was made (S-64).

import type { Bytes32 } from "../../primitives/brands.ts";
import { parseOrigin, parsePrintable } from "../../swap/forms.ts";
import { bidRow } from "../../swap/rows.ts";
import { refusal } from "./messages.ts";
import { answer, type SwapOutcome } from "./outcome.ts";
import type { SwapParts } from "./parts.ts";
import { optional, readFields, required } from "./read-fields.ts";
import type { RequestBody } from "./swap-service.ts";

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
