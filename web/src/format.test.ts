// Amounts and times as people read them: exact, one form everywhere, whatever the size.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../testkit/properties.ts";
import * as format from "./format.ts";

test("whole units are exact: taking the commas and the point away gives the raw amount back", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 38n }), fc.integer({ min: 0, max: 18 }), (raw, decimals) => {
      const [whole = "", fraction = ""] = format
        .wholeUnits(String(raw), decimals)
        .replaceAll(",", "")
        .split(".");
      assert.equal(BigInt(whole + fraction.padEnd(decimals, "0")), raw);
    }),
  );
});

test("amounts have commas by thousands, a point, and no zeros at the end but those that are asked for", () => {
  assert.equal(format.wholeUnits("123456789012", 2), "1,234,567,890.12");
  assert.equal(format.wholeUnits("5", 8), "0.00000005");
  assert.equal(format.wholeUnits("-150", 2), "-1.5");
  assert.equal(format.wholeUnits("60", 0), "60");
  assert.equal(format.pearl("100000000"), "1.00");
  assert.equal(format.pearl("123456789"), "1.23456789");
  assert.equal(format.usdc("9007199254740993000000"), "9,007,199,254,740,993.00");
});

test("a unit price keeps the digits that say something", () => {
  assert.equal(format.unitPrice("6176.47058823"), "6,176.47 sat");
  assert.equal(format.unitPrice("0.00012300"), "0.000123 sat");
  assert.equal(format.unitPrice("0.00000000"), "below 0.00000001 sat");
  assert.equal(format.unitPrice("12.50000000"), "12.50 sat");
  assert.equal(format.unitPrice("130000000.00000000"), "1.30 PEARL");
});

test("an axis names no price below zero, and is not wider than a chart whatever somebody paid for the least unit", () => {
  assert.equal(format.axisPrice(-0.5), "");
  assert.equal(format.axisPrice(4200), "4,200.00 sat");
  assert.equal(format.axisPrice(0.00000006), "0.00000006 sat");
  assert.equal(format.axisPrice(130_000_000), "1.30 PEARL");
  assert.equal(format.axisPrice(1e26), "1.00e+18 PEARL");
  assert.equal(format.axisPrice(0), "0 sat");
});

test("an axis has steps that tell small prices apart", () => {
  for (const [lowest, step] of [
    [4200, 0.01],
    [1, 0.01],
    [0.25, 0.001],
    [0.00000006, 1e-8],
    [0, 1e-8],
  ] as const)
    assert.ok(Math.abs(format.axisStep(lowest) / step - 1) < 1e-9, `${lowest}`);
});

test("all units at a unit price cost whole satoshis, rounded down, whatever the decimals", () => {
  assert.equal(format.satAtUnitPrice("993800", 2, "3529.41176470"), "35075294");
  assert.equal(format.satAtUnitPrice("60", 0, "130000000.00000000"), "7800000000");
  assert.equal(format.satAtUnitPrice("1", 18, "1.00000000"), "0");
  assert.equal(format.satAtUnitPrice("100000000", 0, "0.00000100"), "100");
  // Where the last digit of the price was rounded down from any other one, or the price to nothing, nobody can tell.
  assert.equal(format.satAtUnitPrice("100000000", 0, "0.00000099"), null);
  assert.equal(format.satAtUnitPrice("100000000000000000000", 0, "0.00000000"), null);
});

test("a percentage has two places, and more where it would be nothing without them", () => {
  assert.equal(format.percent("87.6543"), "87.65 %");
  assert.equal(format.percent("1234.5000"), "1,234.50 %");
  assert.equal(format.percent("99.9999"), "99.99 %");
  assert.equal(format.percent("0.0000"), "0.00 %");
  assert.equal(format.percent("0.0012"), "0.0012 %");
  assert.equal(format.percent("-0.0040"), "-0.0040 %");
});

function change(floor_price_sat: string, floor_change_24h_pct: string): string | null {
  return format.floorChange({ floor_price_sat, floor_change_24h_pct });
}

test("the change of a floor is told where it is more than the rounding of the floor to satoshis", () => {
  assert.equal(change("3023", "-12.5000"), "-12.5000");
  assert.equal(change("3023", "0.0001"), "0.0001");
  // As it stood a day ago, or nothing was for sale then.
  assert.equal(change("3023", "0.0000"), null);
  // Nothing is for sale.
  assert.equal(change("0", "0.0000"), null);
  assert.equal(change("0", "-100.0000"), null);
  // From 1.99 to 2.00 satoshis, and from 1.5 to 150.
  assert.equal(change("2", "100.0000"), null);
  assert.equal(change("150", "14900.0000"), null);
  assert.equal(change("150", "-50.0000"), "-50.0000");
});

test("a quotient is rounded down, and none is formed by zero", () => {
  assert.equal(format.quotient(2n, 3n, 6), "0.666666");
  assert.equal(format.quotient(10n, 2n, 6), "5.00");
  assert.equal(format.quotient(1n, 0n, 6), "0");
});

test("the length of a bar stays between nothing and everything", () => {
  assert.equal(format.barLength(1n, 4n), 25);
  assert.equal(format.barLength(5n, 4n), 100);
  assert.equal(format.barLength(-1n, 4n), 0);
  assert.equal(format.barLength(1n, 0n), 0);
});

test("times are relative in their two greatest units, and absolute in UTC", () => {
  assert.equal(format.relative(1_000, 1_002), "now");
  assert.equal(format.relative(1_000, 4_665), "1 h 1 min ago");
  assert.equal(format.relative(90_061, 0), "in 1 d 1 h");
  assert.equal(format.duration(86_400), "1 d");
  assert.equal(format.duration(0), "0 s");
  assert.equal(format.utc(1_795_425_652), "2026-11-23 09:20:52 UTC");
});

test("ids are shortened in the middle, and what tells neighbours apart stays", () => {
  assert.equal(format.shortened(`0x${"ab".repeat(32)}`), "0xababab…ababab");
  assert.equal(
    format.shortened("rprl1plaxn3fseecv5jxp2cghq5gqcn7yzccmlr3tqas07ne6etguc25xsrcwlw3"),
    "rprl1plax…rcwlw3",
  );
  const hash = `1234567${"0".repeat(51)}abcdef`;
  assert.equal(format.shortened(`list:${hash}:12`), "list:1234567…abcdef:12");
  assert.equal(format.shortened(`${hash}:0`), "1234567…abcdef:0");
  assert.equal(format.shortened("GRAIN"), "GRAIN");
});

test("a price of PEARL is never shown as nothing: what is below the last digit is told as that", () => {
  assert.equal(format.usdcPrice("5.390000"), "5.39 USDC");
  assert.equal(format.usdcPrice("0.000400"), "0.0004 USDC");
  assert.equal(format.usdcPrice("0.000001"), "0.000001 USDC");
  assert.equal(format.usdcPrice("0.00"), "below 0.000001 USDC");
  assert.equal(format.usdcPrice("0.000000"), "below 0.000001 USDC");
});

test("S-23: the fee goes off the seller's USDC, rounded down", () => {
  assert.equal(format.usdcAfterFee("177870000", 100), "176091300");
  assert.equal(format.usdcAfterFee("99", 200), "98");
  assert.equal(format.usdcAfterFee("49", 200), "49");
  assert.equal(format.usdcAfterFee("5000000", 0), "5000000");
});

test("what an inscription hides or turns round is seen", () => {
  assert.equal(format.visible('{"to":"\u202Ea\u200Bb"}'), '{"to":"\\u202ea\\u200bb"}');
  assert.equal(format.visible("a\u2028b\u0000\u{E0001}"), "a\\u2028b\\u0000\\udb40\\udc01");
  // Marks that are drawn as nothing or as a gap: a name with one reads like the name without.
  assert.equal(format.visible('"t\u034Fo\uFE0F\u3164\u2800"'), '"t\\u034fo\\ufe0f\\u3164\\u2800"');
  assert.equal(format.visible("\u{E0100}"), "\\udb40\\udd00");
  assert.equal(format.visible('{\n\t"op": "mint", "é": "Ж 金 🦪"}'), '{\n\t"op": "mint", "é": "Ж 金 🦪"}');
});
