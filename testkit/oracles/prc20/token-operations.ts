// Decides when deploy, mint, transfer and burn are valid, and what they change: section 5, P-40 to P-46. Checks stand
// in the order of the specification; the first that fails is the reason (P-14).
import { textField } from "./outcome.ts";
import type { Outcome, RuleInput } from "./outcome.ts";
import { holdingOf } from "./state.ts";
import { RESERVED_TICK, parseAddress, parseAmount, parsePositiveAmount, parseTick } from "./values.ts";

/** P-40, P-41. */
export function applyDeploy({ op, place, state, network }: RuleInput): Outcome {
  const tick = parseTick(textField(op, "tick"));
  if (tick === null) return { reason: "TICK_INVALID" };
  if (tick === RESERVED_TICK) return { reason: "TICK_RESERVED" };

  const max = parsePositiveAmount(textField(op, "max"));
  if (max === null) return { reason: "MAX_INVALID" };

  const lim = parsePositiveAmount(textField(op, "lim") ?? String(max));
  if (lim === null || lim > max) return { reason: "LIM_INVALID" };

  const pre = parseAmount(textField(op, "pre") ?? "0");
  if (pre === null || pre > max) return { reason: "PRE_INVALID" };

  const dec = textField(op, "dec") ?? "8";
  if (!/^([0-9]|1[0-8])$/.test(dec)) return { reason: "DEC_INVALID" };

  const cid = textField(op, "cid") ?? null;
  if (cid !== null && !/^[\x21-\x7e]{1,128}$/.test(cid)) return { reason: "CID_INVALID" };

  const to = parseAddress(textField(op, "to") ?? op.sender, network.hrp);
  if (to === null) return { reason: "ADDRESS_INVALID" };

  if (state.tokens.has(tick)) return { reason: "TICK_TAKEN" };

  state.tokens.set(tick, {
    tick,
    dec,
    max,
    lim,
    pre,
    minted: pre,
    burned: 0n,
    cid,
    deployer: op.sender,
    deployTxid: place.tx.txid,
    deployHeight: place.tx.height,
    transfers: 0,
  });
  if (pre === 0n) return { effect: { tick, amount: null, to, touched: [] } };
  holdingOf(state, to, tick).balance += pre;
  return { effect: { tick, amount: pre, to, touched: [to] } };
}

/** P-42, P-43. */
export function applyMint({ op, state, network }: RuleInput): Outcome {
  const tick = parseTick(textField(op, "tick"));
  if (tick === null) return { reason: "TICK_INVALID" };
  const token = state.tokens.get(tick);
  if (token === undefined) return { reason: "TICK_UNKNOWN" };

  const amt = parsePositiveAmount(textField(op, "amt") ?? String(token.lim));
  if (amt === null) return { reason: "AMT_INVALID" };
  if (amt > token.lim) return { reason: "AMT_OVER_LIMIT" };

  const to = parseAddress(textField(op, "to") ?? op.sender, network.hrp);
  if (to === null) return { reason: "ADDRESS_INVALID" };

  const left = token.max - token.minted;
  if (left === 0n) return { reason: "MINT_ENDED" };

  const credited = amt < left ? amt : left;
  token.minted += credited;
  holdingOf(state, to, tick).balance += credited;
  return { effect: { tick, amount: credited, to, touched: [to] } };
}

/** P-44, P-45. */
export function applyTransfer({ op, state, network }: RuleInput): Outcome {
  const tick = parseTick(textField(op, "tick"));
  if (tick === null) return { reason: "TICK_INVALID" };
  const token = state.tokens.get(tick);
  if (token === undefined) return { reason: "TICK_UNKNOWN" };

  const amt = parsePositiveAmount(textField(op, "amt"));
  if (amt === null) return { reason: "AMT_INVALID" };

  const to = parseAddress(textField(op, "to"), network.hrp);
  if (to === null) return { reason: "ADDRESS_INVALID" };

  const sender = holdingOf(state, op.sender, tick);
  if (sender.balance < amt) return { reason: "BALANCE_INSUFFICIENT" };

  sender.balance -= amt;
  holdingOf(state, to, tick).balance += amt;
  token.transfers += 1;
  return { effect: { tick, amount: amt, to, touched: [op.sender, to] } };
}

/** P-46. */
export function applyBurn({ op, state }: RuleInput): Outcome {
  const tick = parseTick(textField(op, "tick"));
  if (tick === null) return { reason: "TICK_INVALID" };
  const token = state.tokens.get(tick);
  if (token === undefined) return { reason: "TICK_UNKNOWN" };

  const amt = parsePositiveAmount(textField(op, "amt"));
  if (amt === null) return { reason: "AMT_INVALID" };

  const sender = holdingOf(state, op.sender, tick);
  if (sender.balance < amt) return { reason: "BALANCE_INSUFFICIENT" };

  sender.balance -= amt;
  token.burned += amt;
  return { effect: { tick, amount: amt, to: null, touched: [op.sender] } };
}
