// Placeholders and parameters of the swap endpoints (S-06, H-40): their schemas, and the reader of the list queries,
// where `status` alone may be given more than once.

import { Type } from "typebox";
import type { Bytes32, EvmAddress, PearlAddress } from "../../../primitives/brands.ts";
import type { ListName } from "../../../index/pages.ts";
import type { SwapListQuery, SwapService } from "../../../swaps/usecases/swap-service.ts";
import { invalidFields, type SwapRefusal } from "../../../swaps/usecases/outcome.ts";
import { type CursorBinding, pageRequest } from "../../cursor.ts";
import type { Refusal } from "../../errors.ts";
import { parameterReader } from "../../parameters.ts";
import { pageParameters } from "../../schemas/parameters.ts";
import { asSwapRefusal } from "./swap-body.ts";
import { err, ok, type Result } from "../../../primitives/result.ts";

/** `{ask_id}`, `{deal_hash}`, `{order_hash}`. */
export function hashParameter(description: string) {
  return Type.String({
    pattern: "^0x[0-9a-fA-F]{64}$",
    description,
    "x-expected": "0x and 64 hex digits",
  });
}

const evmAddressFilter = (description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description,
      "x-expected": "an EVM address: 0x and 40 hex digits, in one case or with a right checksum",
    }),
  );

/** Parameters of the three lists, `status` as the documents show it. */
export function listParameters(statuses: readonly string[]) {
  return {
    ...pageParameters,
    status: Type.Optional(
      Type.Array(Type.Enum([...statuses]), {
        description: "Only rows with this status; may be given more than once.",
        "x-expected": `one of ${statuses.join(", ")}`,
      }),
    ),
    buyer_evm: evmAddressFilter("Only rows of this buyer."),
    seller_evm: evmAddressFilter("Only rows of this seller."),
    pearl_address: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 90,
        description: "Only rows whose buyer or seller address this is, or whose key fits it.",
        "x-expected": "a Taproot address of this network",
      }),
    ),
  };
}

/** The 0x form in lower case of a placeholder that the schema has let through. */
export function hashOf(text: string): Bytes32 {
  return text.toLowerCase() as Bytes32;
}

const commonQuery = parameterReader(
  Type.Object({
    ...pageParameters,
    buyer_evm: evmAddressFilter(""),
    seller_evm: evmAddressFilter(""),
    pearl_address: listParameters([]).pearl_address,
  }),
);

/** A list query and what its cursors are bound to. */
interface ReadListQuery {
  readonly query: SwapListQuery;
  readonly binding: CursorBinding;
}

/** What a list is called and which statuses it knows. */
interface ListForm {
  readonly list: ListName;
  readonly statuses: readonly string[];
  /** Values of the list's own parameters, for the binding of cursors. */
  readonly own: readonly string[];
}

/** Reads a list query, or says which parameter is wrong. */
export function readListQuery(
  raw: unknown,
  service: SwapService,
  form: ListForm,
): Result<ReadListQuery, Refusal | SwapRefusal> {
  const statuses = readStatuses(raw, form.statuses);
  if (statuses === null) return err(invalidFields({ status: `must be one of ${form.statuses.join(", ")}` }));
  const values = commonQuery(raw);
  if (!values.ok) return err(asSwapRefusal(values.error));
  const parties = readParties(values.value, service);
  if (!parties.ok) return parties;
  const { buyerEvm, sellerEvm, pearlAddress } = parties.value;
  const scope = [
    form.list,
    form.statuses.filter((status) => statuses.includes(status)).join(","),
    buyerEvm,
    sellerEvm,
    pearlAddress,
  ];
  const binding: CursorBinding = { list: form.list, scope: [...scope, ...form.own] };
  const page = pageRequest(values.value, binding);
  if (!page.ok) return err(withPageFields(page.error));
  return ok({ query: { statuses, ...parties.value, ...page.value }, binding });
}

/** H-45: `details` names the fields. */
function withPageFields(refusal: Refusal): Refusal | SwapRefusal {
  if (refusal.code !== "INVALID_REQUEST") return refusal;
  return invalidFields({
    next: "must not be given together with `prev`",
    prev: "must not be given together with `next`",
  });
}

function readStatuses(raw: unknown, allowed: readonly string[]): readonly string[] | null {
  const { status: given }: { readonly status?: unknown } = Object(raw);
  if (given === undefined) return [];
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const statuses = list.filter((each): each is string => typeof each === "string" && allowed.includes(each));
  return statuses.length === list.length ? statuses : null;
}

interface Parties {
  readonly buyerEvm: EvmAddress | null;
  readonly sellerEvm: EvmAddress | null;
  readonly pearlAddress: PearlAddress | null;
}

function readParties(
  values: { readonly buyer_evm?: string; readonly seller_evm?: string; readonly pearl_address?: string },
  service: SwapService,
): Result<Parties, SwapRefusal> {
  const wrong: Record<string, string> = {};
  const evm = (name: "buyer_evm" | "seller_evm"): EvmAddress | null => {
    const text = values[name];
    if (text === undefined) return null;
    const address = service.evmAddress(text);
    if (address === null) wrong[name] = EVM_EXPECTED;
    return address;
  };
  const buyerEvm = evm("buyer_evm");
  const sellerEvm = evm("seller_evm");
  const pearlAddress = values.pearl_address === undefined ? null : service.pearlAddress(values.pearl_address);
  if (values.pearl_address !== undefined && pearlAddress === null) {
    wrong["pearl_address"] = "must be a Taproot address of this network";
  }
  return Object.keys(wrong).length > 0
    ? err(invalidFields(wrong))
    : ok({ buyerEvm, sellerEvm, pearlAddress });
}

const EVM_EXPECTED =
  "must be an EVM address: 0x and 40 hex digits, all lower case, all upper case or with a right checksum, not zero";
