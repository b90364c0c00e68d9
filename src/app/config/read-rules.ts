// Which chain is indexed, and by which consensus parameters (P-01)?

import { NETWORKS, type Network, type NetworkName } from "../../chain/networks.ts";
import type { ProtocolRules } from "../../prc20/rules.ts";
import { parseAddress } from "../../primitives/address.ts";
import type { PearlAddress } from "../../primitives/brands.ts";
import { nearestName } from "./nearest-name.ts";
import type { SettingReader } from "./setting-reader.ts";

function isNetworkName(text: string): text is NetworkName {
  return Object.hasOwn(NETWORKS, text);
}

/** The configured network, or null with a problem. */
export function readNetwork(reader: SettingReader): Network | null {
  const name = reader.text("STRAND_NETWORK") ?? "mainnet";
  if (isNetworkName(name)) return NETWORKS[name];
  const names = Object.keys(NETWORKS);
  const near = nearestName(name, names);
  const hint = near === null ? `give one of ${names.join(", ")}` : `did you mean ${near}?`;
  reader.problem("STRAND_NETWORK", `is ${JSON.stringify(name)}, which is no network: ${hint}`);
  return null;
}

/** The consensus parameters of P-01, or null with problems. Without a network the address cannot be judged. */
export function readRules(
  reader: SettingReader,
  network: Network | null,
  marker: string,
): ProtocolRules | null {
  const startHeight = reader.integer("PRC20_START_HEIGHT", 1, 4_294_967_295, 1);
  const feeBps = reader.integer("PRC20_FEE_BPS", 0, 10_000, 100);
  if (network === null) return null;
  const feeAddress = readFeeAddress(reader, network, feeBps);
  return { hrp: network.hrp, genesisHash: network.genesisHash, marker, startHeight, feeBps, feeAddress };
}

function readFeeAddress(reader: SettingReader, network: Network, feeBps: number): PearlAddress | null {
  const text = reader.text("PRC20_FEE_ADDRESS");
  if (text === null) {
    if (feeBps > 0) {
      reader.problem(
        "PRC20_FEE_ADDRESS",
        `is missing: a fee of ${feeBps} basis points has to go somewhere; give a ${network.name} address ` +
          `(${network.hrp}1p…), or set PRC20_FEE_BPS to 0`,
      );
    }
    return null;
  }
  const address = parseAddress(text, network.hrp);
  if (address === null) {
    reader.problem(
      "PRC20_FEE_ADDRESS",
      `is ${JSON.stringify(text)}: give a Taproot address of ${network.name}, which begins with ${network.hrp}1p`,
    );
  }
  return address;
}
