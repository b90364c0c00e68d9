// Swaps are on exactly where they are configured whole, with the limits of the network.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { swapCrypto } from "../../adapters/system/swap-crypto.ts";
import { readConfig } from "./config.ts";
import type { SwapConfig } from "./read-swaps.ts";

const ESCROW = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const CHECKSUMMED = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const SWAPS = {
  EVM_RPC_URLS: "https://one.example/key, http://127.0.0.1:8545",
  EVM_CHAIN_ID: "42161",
  ESCROW_ADDRESS: ESCROW,
  ESCROW_FIRST_BLOCK: "0",
};

function read(environment: Record<string, string>): ReturnType<typeof readConfig> {
  return readConfig({
    flags: new Map(),
    environment: { PEARL_RPC_URL: "http://127.0.0.1:1", PRC20_FEE_BPS: "0", ...environment },
    readFile: () => null,
    keccak256: swapCrypto.keccak256,
  });
}

function swaps(environment: Record<string, string> = {}): SwapConfig {
  const result = read({ ...SWAPS, ...environment });
  if (!result.ok) throw new Error(result.error.join("\n"));
  if (result.value.swaps === null) throw new Error("swaps are off");
  return result.value.swaps;
}

function problems(environment: Record<string, string>): readonly string[] {
  const result = read(environment);
  assert.equal(result.ok, false);
  return result.ok ? [] : result.error;
}

const row = (name: string, k: number): object => ({
  name,
  k,
  reveal_margin_s: 6000,
  lock_margin_s: 11_580,
  take_min_s: 18_000,
});

describe("configuration of swaps", () => {
  test("absent: off", () => {
    const result = read({});
    assert.equal(result.ok && result.value.swaps, null);
  });

  test("whole: on, with the defaults", () => {
    assert.deepEqual(swaps(), {
      evmRpcUrls: ["https://one.example/key", "http://127.0.0.1:8545/"],
      chainId: 42161,
      escrow: ESCROW,
      firstBlock: 0,
      confirmations: "finalized",
      evmPollMs: 1000,
      evmRereadS: 60,
      isPlay: false,
      profiles: {
        large: { name: "large", k: 13, revealMarginS: 6000, lockMarginS: 11_580, takeMinS: 18_000 },
        small: { name: "small", k: 6, revealMarginS: 4500, lockMarginS: 8220, takeMinS: 14_400 },
      },
      smallDealUsdc: 1_000_000_000n,
      deltaS: 21_600,
      askMinUsdc: 1_000_000n,
      askMax: 100_000,
      askRecheckS: 60,
      takeTtlS: 1200,
      takeMax: 100_000,
      requirePearlProof: false,
      balanceSource: { kind: "node" },
      limits: { pearlLagBlocks: 1, pearlTipAgeS: 2400, minPeers: 3, evmLagS: 60, evmHeadAgeS: 300 },
    });
  });

  test("S-05: on simnet and regtest age and connections are off, the lag of the EVM index never is", () => {
    for (const STRAND_NETWORK of ["simnet", "regtest"]) {
      const { limits } = swaps({ STRAND_NETWORK });
      assert.deepEqual(limits, {
        pearlLagBlocks: 1,
        pearlTipAgeS: null,
        minPeers: null,
        evmLagS: 60,
        evmHeadAgeS: null,
      });
    }
    assert.equal(swaps({ STRAND_NETWORK: "simnet", SWAP_EVM_HEAD_AGE_S: "30" }).limits.evmHeadAgeS, 30);
    assert.equal(swaps({ SWAP_PEARL_TIP_AGE_S: "off" }).limits.pearlTipAgeS, null);
    assert.match(problems({ ...SWAPS, SWAP_EVM_LAG_S: "off" }).join(), /SWAP_EVM_LAG_S/);
  });

  test("URLs without the rest: each missing setting is named", () => {
    const found = problems({ EVM_RPC_URLS: "http://127.0.0.1:8545" });
    assert.deepEqual(
      new Set(found.map((line) => line.split(" ")[0])),
      new Set(["ESCROW_ADDRESS", "ESCROW_FIRST_BLOCK", "EVM_CHAIN_ID"]),
    );
  });

  test("anything of swaps without URLs leaves swaps off, is not judged, and is named for the warning", () => {
    const result = read({ ESCROW_ADDRESS: "nonsense", TAKE_MAX: "-5" });
    if (!result.ok) throw new Error(result.error.join("\n"));
    assert.equal(result.value.swaps, null);
    assert.deepEqual(result.value.unusedSwapSettings, ["ESCROW_ADDRESS", "TAKE_MAX"]);
    const on = read(SWAPS);
    assert.deepEqual(on.ok && on.value.unusedSwapSettings, []);
  });

  test("keys in URLs never appear in a problem", () => {
    const found = problems({ ...SWAPS, EVM_RPC_URLS: "https://a.example/hunter2,ftp://hunter2" });
    assert.match(found.join(), /EVM_RPC_URLS has no http: or https: address in place 2/);
    assert.ok(!found.join().includes("hunter2"));
  });

  test("the same URL twice is no second opinion", () => {
    const twice = { ...SWAPS, EVM_RPC_URLS: "http://127.0.0.1:8545,http://127.0.0.1:8545/" };
    assert.match(problems(twice).join(), /agrees with itself/);
  });

  test("S-06: the escrow is 0x and 40 digits in one letter case or with a right checksum, and not zero", () => {
    for (const address of [CHECKSUMMED, `0x${ESCROW.slice(2).toUpperCase()}`]) {
      assert.equal(swaps({ ESCROW_ADDRESS: address }).escrow, ESCROW);
    }
    for (const address of [
      CHECKSUMMED.replace("F", "f"),
      `0x${"0".repeat(40)}`,
      ESCROW.slice(2),
      `${ESCROW}0`,
    ]) {
      assert.match(problems({ ...SWAPS, ESCROW_ADDRESS: address }).join(), /ESCROW_ADDRESS is "/);
    }
  });

  test("S-02: 6 h are in force where coins are worth something, SWAP_MARGIN_S alone on simnet; never below 4 h", () => {
    assert.equal(swaps({ SWAP_MARGIN_S: "14400" }).deltaS, 21_600);
    assert.equal(swaps({ SWAP_MARGIN_S: "14400", STRAND_NETWORK: "simnet" }).deltaS, 14_400);
    assert.equal(swaps({ SWAP_MARGIN_S: "30000" }).deltaS, 30_000);
    const low = problems({ ...SWAPS, SWAP_MARGIN_S: "14399", STRAND_NETWORK: "simnet" });
    assert.match(low.join(), /SWAP_MARGIN_S is "14399": give an integer from 14400/);
  });

  test("S-03: profiles are raised anywhere and lowered on simnet only", () => {
    const raised = JSON.stringify([row("large", 20), row("small", 7)]);
    const lowered = JSON.stringify([row("large", 2), row("small", 1)]);
    assert.equal(swaps({ SWAP_PROFILES: raised }).profiles.large.k, 20);
    assert.equal(swaps({ SWAP_PROFILES: lowered, STRAND_NETWORK: "simnet" }).profiles.small.k, 1);
    assert.equal(problems({ ...SWAPS, SWAP_PROFILES: lowered }).length, 2);
    const [notJson = ""] = problems({ ...SWAPS, SWAP_PROFILES: "[" });
    assert.match(notJson, /^SWAP_PROFILES is no JSON array/);
    assert.match(problems({ ...SWAPS, TAKE_TTL_S: "9000" }).join(), /TAKE_TTL_S/);
  });

  test("every other value is read and bounded", () => {
    const given = swaps({
      EVM_CONFIRMATIONS: "12",
      EVM_POLL_MS: "20",
      ASK_MIN_USDC: "340282366920938463463374607431768211455",
      REQUIRE_PEARL_PROOF: "true",
      PEARL_BALANCE_SOURCE: "https://book.example/",
      ASK_RECHECK_S: "1",
      PEARL_MIN_PEERS: "0",
    });
    assert.equal(given.confirmations, 12);
    assert.equal(given.evmPollMs, 20);
    assert.equal(given.askMinUsdc, (1n << 128n) - 1n);
    assert.equal(given.requirePearlProof, true);
    assert.deepEqual(given.balanceSource, { kind: "blockbook", url: "https://book.example" });
    assert.equal(given.limits.minPeers, null);
    for (const [name, value] of [
      ["EVM_CONFIRMATIONS", "0"],
      ["EVM_CONFIRMATIONS", "final"],
      ["EVM_POLL_MS", "19"],
      // Each answer counts for 30 s, and two must (S-07).
      ["EVM_POLL_MS", "10001"],
      ["PEARL_POLL_MS", "19"],
      ["ASK_MIN_USDC", "1.5"],
      ["ASK_MIN_USDC", "340282366920938463463374607431768211456"],
      ["SWAP_SMALL_DEAL_USDC", "-1"],
      ["REQUIRE_PEARL_PROOF", "yes"],
      ["PEARL_BALANCE_SOURCE", "blockbook"],
      ["PEARL_BALANCE_SOURCE", "https://a%zz:b@book.example"],
      ["PEARL_BALANCE_SOURCE", "https://book.example/?key=hunter2"],
      ["PEARL_BALANCE_SOURCE", "https://book.example/#hunter2"],
      ["ASK_RECHECK_S", "0"],
      ["TAKE_MAX", "0"],
      ["EVM_CHAIN_ID", "0"],
      ["ESCROW_FIRST_BLOCK", "-1"],
    ] as const) {
      assert.ok(
        problems({ ...SWAPS, [name]: value }).some(
          (line) => line.startsWith(`${name} `) && !line.includes("hunter2"),
        ),
        `${name}=${value}`,
      );
    }
  });
});
