// The margins with which a deal runs (S-02, S-03): the table's defaults, what `SWAP_PROFILES` may change, and the
// settings that the service refuses to start with, each as a sentence for the operator.

import { parseJson } from "../primitives/plain-json.ts";
import { elementAt } from "../primitives/elements.ts";
import { isPlayNetwork } from "../chain/networks.ts";
import { err, ok, type Result } from "../primitives/result.ts";
import type { SwapProfile } from "./subject.ts";

const MINUTE = 60;
const HOUR = 3600;
/** The contract's floor of T_e - T_p (S-22), seconds: no margin below it is accepted. */
const MIN_MARGIN_S = 4 * HOUR;
/** The floor of the margin on networks whose coins are worth something (S-02), seconds. */
const SAFE_MARGIN_S = 6 * HOUR;
/** The contract's floor of T_p when the order is locked (S-22), seconds. */
const CONTRACT_REFUND_S = 2 * HOUR;

/** The table of S-03. */
export const DEFAULT_PROFILES: SwapProfiles = {
  large: {
    name: "large",
    k: 13,
    revealMarginS: 100 * MINUTE,
    lockMarginS: 193 * MINUTE,
    takeMinS: 5 * HOUR,
  },
  small: {
    name: "small",
    k: 6,
    revealMarginS: 75 * MINUTE,
    lockMarginS: 137 * MINUTE,
    takeMinS: 4 * HOUR,
  },
};

/** Both profiles. */
export interface SwapProfiles {
  readonly large: SwapProfile;
  readonly small: SwapProfile;
}

/**
 * The margin in force, seconds (S-02): max(`SWAP_MARGIN_S`, 6 h); on simnet and regtest `SWAP_MARGIN_S` alone. What
 * is below the contract's 4 h is a sentence of `profileFaults`.
 */
export function marginInForce(network: string, swapMarginS: number): number {
  return isPlayNetwork(network) ? swapMarginS : Math.max(swapMarginS, SAFE_MARGIN_S);
}

const FIELDS = ["k", "reveal_margin_s", "lock_margin_s", "take_min_s"] as const;

/**
 * The profiles that `SWAP_PROFILES` writes: a JSON array with "large" and "small" once each, every number an integer
 * from 1 on. Fails with what is wrong, as it stands behind the setting's name. Whether they may be used is for
 * `profileFaults`.
 */
export function parseProfiles(text: string): Result<SwapProfiles, string> {
  const parsed = parseJson(text);
  if (!Array.isArray(parsed)) return err("is no JSON array");
  const byName = new Map<string, SwapProfile>();
  for (const entry of parsed) {
    const profile = parseProfile(entry);
    if (!profile.ok) return profile;
    if (byName.has(profile.value.name)) return err(`names "${profile.value.name}" twice`);
    byName.set(profile.value.name, profile.value);
  }
  const large = byName.get("large");
  const small = byName.get("small");
  if (large === undefined || small === undefined) return err('lacks one of "large" and "small"');
  return ok({ large, small });
}

function parseProfile(entry: unknown): Result<SwapProfile, string> {
  if (typeof entry !== "object" || entry === null) return err("has an entry that is no object");
  const fields = new Map<string, unknown>(Object.entries(entry));
  const name = fields.get("name");
  if (name !== "large" && name !== "small")
    return err('has an entry whose name is neither "large" nor "small"');
  const numbers: number[] = [];
  for (const field of FIELDS) {
    const value = fields.get(field);
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
      return err(`has no integer from 1 on as ${field} of "${name}"`);
    }
    numbers.push(value);
  }
  return ok({
    name,
    k: elementAt(numbers, 0),
    revealMarginS: elementAt(numbers, 1),
    lockMarginS: elementAt(numbers, 2),
    takeMinS: elementAt(numbers, 3),
  });
}

/** The settings that are judged together at start. Seconds. */
export interface ProfileSettings {
  readonly network: string;
  readonly profiles: SwapProfiles;
  readonly swapMarginS: number;
  readonly takeTtlS: number;
}

/** A reason to refuse the start: the setting, and what is wrong, as it stands behind the setting's name. */
export interface ProfileFault {
  readonly setting: "SWAP_MARGIN_S" | "SWAP_PROFILES";
  readonly text: string;
}

/** Every reason to refuse the start (S-02, S-03); empty where all is well. */
export function profileFaults(settings: ProfileSettings): readonly ProfileFault[] {
  const faults: string[] = [];
  for (const profile of [settings.profiles.large, settings.profiles.small]) {
    if (!isPlayNetwork(settings.network)) faults.push(...loweredFaults(profile));
    faults.push(...marginFaults(profile, settings.takeTtlS));
  }
  const ofProfiles = faults.map((text) => ({ setting: "SWAP_PROFILES", text }) as const);
  if (settings.swapMarginS >= MIN_MARGIN_S) return ofProfiles;
  const text = `is below ${MIN_MARGIN_S}, the contract's floor between both refund times`;
  return [{ setting: "SWAP_MARGIN_S", text }, ...ofProfiles];
}

function loweredFaults(profile: SwapProfile): readonly string[] {
  const least = DEFAULT_PROFILES[profile.name];
  const pairs = [
    ["k", profile.k, least.k],
    ["reveal_margin_s", profile.revealMarginS, least.revealMarginS],
    ["lock_margin_s", profile.lockMarginS, least.lockMarginS],
    ["take_min_s", profile.takeMinS, least.takeMinS],
  ] as const;
  return pairs
    .filter(([, value, floor]) => value < floor)
    .map(
      ([field, , floor]) =>
        `lowers ${field} of "${profile.name}" below ${floor}, which only simnet and regtest may`,
    );
}

function marginFaults(profile: SwapProfile, takeTtlS: number): readonly string[] {
  const faults: string[] = [];
  const { name, takeMinS, lockMarginS, revealMarginS } = profile;
  const floor = CONTRACT_REFUND_S + takeTtlS + 10 * MINUTE;
  if (takeMinS < floor) {
    faults.push(`leaves take_min_s of "${name}" below ${floor} (2 h of the contract + TAKE_TTL_S + 10 min)`);
  }
  const lockFloor = lockMarginS + takeTtlS + 20 * MINUTE;
  if (takeMinS < lockFloor) {
    faults.push(`leaves take_min_s of "${name}" below ${lockFloor} (lock_margin_s + TAKE_TTL_S + 20 min)`);
  }
  if (lockMarginS < revealMarginS + 5 * MINUTE) {
    faults.push(`leaves lock_margin_s of "${name}" below reveal_margin_s + 5 min`);
  }
  return faults;
}
