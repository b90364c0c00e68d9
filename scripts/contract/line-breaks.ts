// Makes every break of one line that a slip of the pen could put into a Solidity source: a statement left out, a guard
// left off, a comparison moved or turned, an operator changed, a number one off, arguments swapped, the wrong variable. Pure: texts in, texts out.

/** One broken source. */
export interface LineBreak {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly before: string;
  /** The line as it is then; empty where it is left out. */
  readonly after: string;
  /** The whole file with it. */
  readonly text: string;
}

/** What stands for what. The first group of a pattern is kept. */
const CHANGES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/ nonReentrant/g, ""],
  [/ whenNotPaused/g, ""],
  [/ onlyOwner/g, ""],
  [/ >= /g, " > "],
  [/ <= /g, " < "],
  [/ < /g, " <= "],
  [/ > /g, " >= "],
  [/ == /g, " != "],
  [/ != /g, " == "],
  [/ \|\| /g, " && "],
  [/ && /g, " || "],
  [/ \+ /g, " - "],
  [/ - /g, " + "],
  [/ \+= /g, " = "],
  [/ \* /g, " + "],
  [/ \/ /g, " * "],
  [/if \(!/g, "if ("],
  [/ = (\d[\d_.e]*(?: hours)?);/g, " = $1 + 1;"],
  [/ = (\d[\d_.e]*(?: hours)?);/g, " = $1 - 1;"],
  [/ != 0\b/g, " > 1"],
  [/ == 0\b/g, " == 1"],
  [/State\.Accepted/g, "State.Locked"],
  [/State\.(Locked|Claimed|Refunded|Cancelled|None)/g, "State.Accepted"],
  [/\.buyer\b/g, ".seller"],
  [/\.seller\b/g, ".buyer"],
  [/\border\.seller\b/g, "order.terms.seller"],
  [/\border\.terms\.buyer\b/g, "msg.sender"],
  [/\bsellerPearlKey\b/g, "buyerPearlKey"],
  [/\bbuyerPearlKey\b/g, "sellerPearlKey"],
  [/\bpearlRefundTime\b/g, "evmRefundTime"],
  [/\bevmRefundTime\b/g, "pearlRefundTime"],
  [/\bpearlAmountSat\b/g, "usdcAmount"],
  [/\busdcAmount\b/g, "pearlAmountSat"],
  [/\bMIN_PEARL_AMOUNT_SAT\b/g, "MAX_PEARL_AMOUNT_SAT"],
  [/\bMAX_PEARL_AMOUNT_SAT\b/g, "MIN_PEARL_AMOUNT_SAT"],
  [/\bMIN_PEARL_REFUND_DELAY\b/g, "MIN_REFUND_MARGIN"],
  [/\bMIN_REFUND_MARGIN\b/g, "MIN_PEARL_REFUND_DELAY"],
  [/\bcredits\b/g, "accruedFees"],
  [/\baccruedFees\b/g, "credits"],
  [/\bfeeBps\b/g, "usdcAmount"],
  [/\bfeeRecipient\b/g, "seller"],
  [/\bamount - fee\b/g, "amount"],
  [/\bamount - fee\b/g, "fee"],
  [/\baddress\(0\)/g, "address(1)"],
  [/\baddress\(this\)/g, "msg.sender"],
  [/type\(uint(\d+)\)\.max/g, "type(uint$1).max - 1"],
  [/type\(uint128\)\.max/g, "type(uint256).max"],
  [/type\(uint32\)\.max/g, "type(uint64).max"],
  [/\b([\w.]+), ([\w.]+)(?=[,)])/g, "$2, $1"],
  [/msg\.sender/g, "tx.origin"],
  [/= true;/g, "= false;"],
];

/** A statement that can be left out on its own: it ends on its line and declares nothing that others need. */
const STATEMENT = /^ {8,}(?!return|\)|address |bytes32 |uint256 |Order storage |State )\S.*;$/;
/** What is no code that runs. */
const NO_CODE = /^\s*(\/\/|\*|pragma|import|using|error|event)|^\s*$/;

/** Every break of a source. Lines are taken as they stand; what does not compile is for the caller to leave out. */
export function lineBreaks(file: string, text: string): readonly LineBreak[] {
  const lines = text.split("\n");
  return lines.flatMap((before, index) => {
    if (NO_CODE.test(before)) return [];
    const code = before.replace(/ \/\/.*$/, "");
    const changed = CHANGES.flatMap(([pattern, replacement]) =>
      [...code.matchAll(pattern)].map(({ index: at }) => {
        const there = new RegExp(pattern.source, "y");
        there.lastIndex = at;
        return code.replace(there, replacement);
      }),
    );
    const afters = new Set([...(STATEMENT.test(code) ? [""] : []), ...changed]);
    afters.delete(code);
    return [...afters].map((after) => ({
      file,
      line: index + 1,
      before: before.trim(),
      after: after.trim(),
      text: lines.with(index, after).join("\n"),
    }));
  });
}
