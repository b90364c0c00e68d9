// Placeholders and parameters of the swap endpoints (S-06, H-40): their schemas, and the reader of the list queries,
// where `status` alone may be given more than once.

import { type TObject, type TSchema, Type } from "typebox";
import type { Bytes32, EvmAddress, PearlAddress } from "../../../primitives/brands.ts";
import type { ListName, PageRequest } from "../../../index/pages.ts";
import type { SwapListQuery, SwapService } from "../../../swaps/usecases/swap-service.ts";
import { invalidFields, type SwapRefusal } from "../../../swaps/usecases/outcome.ts";
import { type CursorBinding, type PageQuery, pageRequest } from "../../cursor.ts";
import type { Refusal } from "../../errors.ts";
import { parameterReader, type ReadValues } from "../../parameters.ts";
import { pageParameters } from "../../schemas/parameters.ts";
import { err, ok, type Result } from "../../../primitives/result.ts";

/** Of a path without placeholders, and of an endpoint that takes no parameters. */
export const NO_PARAMETERS = Type.Object({});

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

/** What is wrong with parameters: a sentence by name, without its full stop. */
export type ParameterFaults = Readonly<Record<string, string>>;

/** As `parameterReader`, and names each parameter that is wrong, not the first alone (H-45). */
export function swapReader<Schema extends TObject>(
  schema: Schema,
): (raw: unknown) => Result<ReadValues<Schema>, ParameterFaults> {
  const read = parameterReader(schema);
  const readers = Object.entries<TSchema>(schema.properties).map(([name, property]) =>
    parameterReader(Type.Object({ [name]: property })),
  );
  return (raw) => {
    const values = read(raw);
    if (values.ok) return values;
    const faults = readers.map((readOne) => {
      const value = readOne(raw);
      return value.ok ? null : value.error.field;
    });
    return err(Object.fromEntries(faults.filter((fault) => fault !== null)));
  };
}

const readCommon = swapReader(
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
  /** What is wrong with the list's own parameters. */
  readonly ownFaults: ParameterFaults;
}

/** Reads a list query, or says which parameters are wrong. */
export function readListQuery(
  raw: unknown,
  service: SwapService,
  form: ListForm,
): Result<ReadListQuery, Refusal | SwapRefusal> {
  const statuses = readStatuses(raw, form.statuses);
  const { wrong, ...parties } = readParties(raw, service);
  const values = readCommon(raw);
  const faults = {
    ...form.ownFaults,
    ...(statuses === null ? { status: `must be one of ${form.statuses.join(", ")}` } : {}),
    ...wrong,
    ...(values.ok ? {} : values.error),
  };
  if (statuses === null || !values.ok || Object.keys(faults).length > 0) return err(invalidFields(faults));
  const { buyerEvm, sellerEvm, pearlAddress } = parties;
  const scope = [
    form.list,
    form.statuses.filter((status) => statuses.includes(status)).join(","),
    buyerEvm,
    sellerEvm,
    pearlAddress,
  ];
  const binding: CursorBinding = { list: form.list, scope: [...scope, ...form.own] };
  const page = pageOfSwaps(values.value, binding);
  if (!page.ok) return page;
  return ok({ query: { statuses, ...parties, ...page.value }, binding });
}

/** As `pageRequest`; `details` of its INVALID_REQUEST names the fields (H-45). */
export function pageOfSwaps(
  query: PageQuery,
  binding: CursorBinding,
): Result<PageRequest, Refusal | SwapRefusal> {
  const page = pageRequest(query, binding);
  if (page.ok || page.error.code !== "INVALID_REQUEST") return page;
  return err(
    invalidFields({
      next: "must not be given together with `prev`",
      prev: "must not be given together with `next`",
    }),
  );
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
  /** What is no address, by field. */
  readonly wrong: ParameterFaults;
}

/** The parties that a query names by text; what is none, as a name given twice, is for the schema to refuse. */
function readParties(raw: unknown, service: SwapService): Parties {
  const values: Partial<Record<"buyer_evm" | "seller_evm" | "pearl_address", unknown>> = Object(raw);
  const wrong: Record<string, string> = {};
  const read = <Address>(
    name: keyof typeof values,
    parse: (text: string) => Address | null,
    expected: string,
  ): Address | null => {
    const text = values[name];
    if (typeof text !== "string") return null;
    const address = parse(text);
    if (address === null) wrong[name] = expected;
    return address;
  };
  const evm = (text: string) => service.evmAddress(text);
  return {
    buyerEvm: read("buyer_evm", evm, EVM_EXPECTED),
    sellerEvm: read("seller_evm", evm, EVM_EXPECTED),
    pearlAddress: read("pearl_address", (text) => service.pearlAddress(text), PEARL_EXPECTED),
    wrong,
  };
}

const PEARL_EXPECTED = "must be a Taproot address of this network";
const EVM_EXPECTED =
  "must be an EVM address: 0x and 40 hex digits, all lower case, all upper case or with a right checksum, not zero";
