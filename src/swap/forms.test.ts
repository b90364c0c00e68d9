// Every accepted form of S-01 and S-06 with its neighbours that are refused.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { swapCrypto } from "../adapters/system/swap-crypto.ts";
import { addressOfKey } from "../primitives/address.ts";
import type { PearlAddress } from "../primitives/brands.ts";
import {
  checksumAddress,
  hexSignature,
  isAbsent,
  MAX_ASK_NONCE,
  MAX_TERMS_NONCE,
  type Parsed,
  parseEvmAddress,
  parseFeeBps,
  parseHashlock,
  parseId,
  parseNonce,
  parseOrigin,
  parsePearlAddress,
  parsePearlSat,
  parsePrintable,
  parseTxid,
  parseUsdc,
  parseVout,
  schnorrSignature,
  parseTime,
} from "./forms.ts";
import { keyFitsAddress, parseKey } from "./keys.ts";

const NO_TEXTS: readonly unknown[] = [undefined, null, true, {}, [], ["1"], 1.5, Number.NaN, 1n, Symbol("x")];

function accepts<T>(parse: (value: unknown) => Parsed<T>, cases: readonly (readonly [unknown, T])[]): void {
  for (const [given, expected] of cases) {
    assert.deepEqual(parse(given), { ok: true, value: expected }, String(given));
  }
}

function refuses(parse: (value: unknown) => Parsed<unknown>, values: readonly unknown[]): void {
  for (const value of [...values, ...NO_TEXTS]) {
    const parsed = parse(value);
    assert.equal(parsed.ok, false, String(value));
    assert.ok(!parsed.ok && parsed.error.length > 10);
  }
}

const evmAddress = (value: unknown) => parseEvmAddress(value, swapCrypto.keccak256);
const pearlKey = (value: unknown) => parseKey(value, swapCrypto);
const pearlAddress = (value: unknown) => parsePearlAddress(value, "rprl");
const termsNonce = (value: unknown) => parseNonce(value, MAX_TERMS_NONCE);
const askNonce = (value: unknown) => parseNonce(value, MAX_ASK_NONCE);

describe("times (S-01)", () => {
  test("integers and strings of up to ten digits, within bounds", () => {
    accepts(parseTime, [
      [500_000_000, 500_000_000],
      [1_800_000_000, 1_800_000_000],
      ["1800000000", 1_800_000_000],
      ["0500000000", 500_000_000],
      [4_294_967_295, 4_294_967_295],
      ["4294967295", 4_294_967_295],
    ]);
    refuses(parseTime, [499_999_999, 4_294_967_296, "4294967296", 0, -1, 1_800_000_000.5, "", " 1800000000"]);
    refuses(parseTime, ["1.8e9", "0x6b49d200", "+1800000000", "18000000000", "1800000000\n", "-1800000000"]);
  });

  test("milliseconds are named", () => {
    for (const value of [1_800_000_000_000, "1800000000000"]) {
      const parsed = parseTime(value);
      assert.ok(!parsed.ok);
      assert.match(parsed.error, /looks like milliseconds/);
    }
    const tooEarly = parseTime(800_000);
    assert.ok(!tooEarly.ok);
    assert.match(tooEarly.error, /seconds \(not milliseconds\)/);
  });
});

describe("EVM addresses", () => {
  // The examples of EIP-55.
  const checksummed = [
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    "0xde709f2102306220921060314715629080e2fb77",
    "0x27b1fdb04752bbc536007a920d24acb045561c26",
  ];

  test("lower, upper and checksummed, shown lower", () => {
    for (const address of checksummed) {
      const lower = address.toLowerCase();
      const upper = `0x${address.slice(2).toUpperCase()}`;
      for (const form of [address, lower, upper]) {
        const parsed = evmAddress(form);
        assert.ok(parsed.ok, form);
        assert.equal(parsed.value, lower);
        assert.equal(checksumAddress(parsed.value, swapCrypto.keccak256), address);
      }
    }
  });

  test("a wrong checksum, zero, other lengths and other texts are refused", () => {
    refuses(evmAddress, [
      "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD",
      `0x${"0".repeat(40)}`,
      checksummed[0]?.slice(2),
      checksummed[0]?.slice(0, -1),
      `${checksummed[0]}0`,
      `${checksummed[0]}\n`,
      ` ${checksummed[0]}`,
      checksummed[0]?.replace("0x", "0X"),
      `0x${"g".repeat(40)}`,
      "",
    ]);
  });
});

describe("hashes and ids", () => {
  const lower = "ab".repeat(32);
  const upper = lower.toUpperCase();

  test("ids need their 0x", () => {
    accepts(parseId, [
      [`0x${lower}`, `0x${lower}`],
      [`0x${upper}`, `0x${lower}`],
    ]);
    refuses(parseId, [lower, `0X${lower}`, `0x${lower}0`, `0x${lower.slice(1)}`, `0x${lower}\n`, "0x"]);
  });

  test("hashlocks and txids do not, in any case", () => {
    for (const form of [lower, upper, `0x${lower}`, `0x${upper}`, `0X${upper}`]) {
      assert.deepEqual(parseHashlock(form), { ok: true, value: `0x${lower}` });
      assert.deepEqual(parseTxid(form), { ok: true, value: lower });
    }
    const bad = [
      lower.slice(1),
      `${lower}a`,
      `0x0x${lower}`,
      `x${lower.slice(1)}`,
      `${lower}\n`,
      "zz".repeat(32),
    ];
    refuses(parseHashlock, [...bad, "0".repeat(64), `0x${"0".repeat(64)}`]);
    refuses(parseTxid, bad);
  });
});

describe("amounts and numbers", () => {
  test("amounts are strings without leading zeros, never numbers", () => {
    accepts(parsePearlSat, [
      ["10000", 10_000n],
      ["2100000000000000000", 2_100_000_000_000_000_000n],
    ]);
    accepts(parseUsdc, [
      ["0", 0n],
      ["340282366920938463463374607431768211455", (1n << 128n) - 1n],
    ]);
    const bad = [
      "",
      "00",
      "010000",
      "+10000",
      "-1",
      "1e5",
      "10000.0",
      " 10000",
      "10000\n",
      "0x2710",
      10_000,
      1e21,
    ];
    refuses(parsePearlSat, [...bad, "9999", "0", "2100000000000000001", "9".repeat(40)]);
    refuses(parseUsdc, [
      ...bad,
      "340282366920938463463374607431768211456",
      "9".repeat(39),
      "1".repeat(100_000),
    ]);
  });

  test("nonces", () => {
    accepts(termsNonce, [
      [0, 0n],
      ["0", 0n],
      [9_007_199_254_740_991, 9_007_199_254_740_991n],
      [MAX_TERMS_NONCE.toString(), MAX_TERMS_NONCE],
    ]);
    accepts(askNonce, [[MAX_ASK_NONCE.toString(), MAX_ASK_NONCE]]);
    refuses(askNonce, [MAX_TERMS_NONCE.toString()]);
    refuses(termsNonce, [
      "01",
      "-1",
      -1,
      9_007_199_254_740_992,
      "1e3",
      "0x1",
      (MAX_TERMS_NONCE + 1n).toString(),
      "",
    ]);
  });

  test("fee_bps and vout are JSON integers", () => {
    accepts(parseFeeBps, [
      [0, 0],
      [500, 500],
      [-0, 0],
    ]);
    accepts(parseVout, [
      [0, 0],
      [4_294_967_295, 4_294_967_295],
    ]);
    refuses(parseFeeBps, [501, -1, "200", 0.5, Number.POSITIVE_INFINITY]);
    refuses(parseVout, [4_294_967_296, -1, "0"]);
  });
});

describe("texts", () => {
  test("printable ASCII", () => {
    accepts(parsePrintable, [
      ["a", "a"],
      [" ~", " ~"],
      ["x".repeat(64), "x".repeat(64)],
    ]);
    refuses(parsePrintable, ["", "x".repeat(65), "a\n", "\u007f", "é", "\u{1f600}"]);
    assert.equal(parsePrintable("", 128, 0).ok, true);
    assert.equal(parsePrintable("x".repeat(129), 128, 0).ok, false);
  });

  test("origins", () => {
    accepts(parseOrigin, [["wallet.example_1-2", "wallet.example_1-2"]]);
    refuses(parseOrigin, ["", "A", "a b", "a\n", "x".repeat(65), "é"]);
  });

  test("signatures in hex", () => {
    assert.deepEqual(hexSignature("0xA0b1", 4), Uint8Array.of(0xa0, 0xb1));
    assert.deepEqual(hexSignature("0x", 4), new Uint8Array(0));
    for (const bad of ["", "a0b1", "0xa", "0xzz", "0xa0b1c2d3e4", "0X11", "0X"]) {
      assert.equal(hexSignature(bad, 4), null, bad);
    }
    const proof = "Ab".repeat(64);
    assert.equal(schnorrSignature(proof)?.length, 64);
    assert.equal(schnorrSignature(`0x${proof}`)?.[63], 0xab);
    for (const bad of ["", proof.slice(2), `${proof}00`, `${proof.slice(1)}g`, `${proof}\n`]) {
      assert.equal(schnorrSignature(bad), null, bad);
    }
  });

  test("null counts as absent, nothing else", () => {
    assert.deepEqual([undefined, null, "", 0, false].map(isAbsent), [true, true, false, false, false]);
  });
});

describe("PEARL keys and addresses (S-14)", () => {
  const x = "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9";
  const plain = "rprl1plycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmussd3k73";

  test("x-only and compressed, with or without 0x", () => {
    for (const form of [x, x.toUpperCase(), `0x${x}`, `02${x}`, `03${x}`, `0x02${x}`, `0X03${x}`]) {
      assert.deepEqual(pearlKey(form), { ok: true, value: `0x${x}` }, form);
    }
    // Uncompressed, hybrid, another prefix, no point, not below the field prime.
    refuses(pearlKey, [
      `04${x}${x}`,
      `06${x}${x}`,
      `04${x}`,
      `01${x}`,
      x.slice(2),
      `${x}00`,
      `${x}\n`,
      "",
      "5".padStart(64, "0"),
      "0".repeat(64),
      `02${"5".padStart(64, "0")}`,
      "f".repeat(64),
    ]);
  });

  test("addresses by P-22, shown lower", () => {
    accepts(pearlAddress, [
      [plain, plain as PearlAddress],
      [plain.toUpperCase(), plain as PearlAddress],
    ]);
    refuses(pearlAddress, [
      `${plain.slice(0, -1)}q`,
      plain.replace("rprl", "tprl"),
      `R${plain.slice(1)}`,
      ` ${plain}`,
    ]);
  });

  test("a key fits its own address and its BIP86 address, no other", () => {
    const key = parseKey(x, swapCrypto);
    // BIP86's first receiving key and address, under our prefix: internal key and the address of its tweak.
    const bip86 = parseKey("cc8a4bc64d897bddc5fbc2f670f7a8ba0b386779106cf1223c6fc5d7cd6fc115", swapCrypto);
    const own = parsePearlAddress(plain, "rprl");
    assert.ok(key.ok && bip86.ok && own.ok);
    assert.equal(keyFitsAddress(key.value, own.value, swapCrypto), true);
    assert.equal(keyFitsAddress(bip86.value, own.value, swapCrypto), false);
    const tweaked = addressOfKey("a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c", "rprl");
    assert.equal(keyFitsAddress(bip86.value, tweaked, swapCrypto), true);
    assert.equal(keyFitsAddress(key.value, tweaked, swapCrypto), false);
  });
});
