// Events of one block, one reorganisation or a change of swaps, rendered as of their block: whoever reads them live and
// whoever resumes later gets the same bytes. (H-39, H-47)

import type { PearlAddress, Tick } from "../../primitives/brands.ts";
import type { ProtocolRules } from "../../prc20/rules.ts";
import type { BlockHappenings, EventGroup } from "../../index/event-groups.ts";
import type { ListingView, OperationView } from "../../index/views.ts";
import { reorgEventRow } from "../rows/blocks.ts";
import { listingHistoryRow } from "../rows/market.ts";
import { isInHistoryOf, operationRow } from "../rows/operations.ts";

/** One rendered event. */
export interface Frame {
  readonly id: number;
  readonly text: string;
  /** What filters look at; null: the event passes every filter. */
  readonly about: FrameSubject | null;
}

/** What an event is about. */
interface FrameSubject {
  /** Null for swaps: they belong to no tick. */
  readonly tick: Tick | "" | null;
  /** The order of a bid or deal; null otherwise. */
  readonly dealHash: string | null;
  /**
   * True where the event concerns the address: an operation by its history (H-36), a listing by its parties, a swap
   * by the addresses of its row and the PEARL addresses that the row's keys fit (H-40).
   */
  concerns(address: string): boolean;
}

/** The filters of a consumer, joined by and. */
export interface FrameFilter {
  readonly tick: Tick | null;
  /** A PEARL or an EVM address, lower case. */
  readonly address: string | null;
  readonly dealHash: string | null;
}

/** True where a consumer with this filter gets the event. */
export function passes(frame: Frame, filter: FrameFilter): boolean {
  if (frame.about === null) return true;
  if (filter.dealHash !== null && frame.about.dealHash !== filter.dealHash) return false;
  if (filter.tick !== null && frame.about.tick !== filter.tick) return false;
  return filter.address === null || frame.about.concerns(filter.address);
}

/** The text of one event. */
export function eventText(id: number, event: string, payload: unknown): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(payload)}\n\n`;
}

/** The event of a reorganisation. */
export function reorgFrame(group: Extract<EventGroup, { kind: "reorg" }>): Frame {
  const row = reorgEventRow(group);
  const payload = { height: group.newTip.height, block_hash: group.newTip.hash, ...row, row };
  return { id: group.lastId, text: eventText(group.lastId, "reorg", payload), about: null };
}

/** The events of swaps, with the texts that were stored when they happened. */
export function swapFrames(group: Extract<EventGroup, { kind: "swaps" }>): readonly Frame[] {
  return group.events.map(({ id, type, dealHash, addresses, data }) => ({
    id,
    text: `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`,
    about:
      type === "reorg" ? null : { tick: null, dealHash, concerns: (address) => addresses.includes(address) },
  }));
}

/** A frame before it has its id. */
type Draft = { readonly event: string; readonly row: unknown; readonly about: FrameSubject | null };

/**
 * The events of a part of a block in the order of the log, the first with id `nextId`; the first part begins with the
 * block's own event. @throws where the last part does not end with the group's last id: the store and this function
 * disagree about the order.
 */
export function blockFrames(
  group: Extract<EventGroup, { kind: "block" }>,
  happenings: BlockHappenings,
  rules: ProtocolRules,
  nextId: number,
): readonly Frame[] {
  const { height, hash, digest, operationCount, nextPlace } = happenings;
  const block = { height, block_hash: hash, digest, operations: operationCount };
  const first: Draft[] = nextId === group.firstId ? [{ event: "block", row: block, about: null }] : [];
  const drafts: Draft[] = [...first, ...changeDrafts(happenings, rules)];
  const lastId = nextId + drafts.length - 1;
  if (nextPlace === null ? lastId !== group.lastId : lastId > group.lastId) {
    throw new Error(
      `block ${height} has events up to ${lastId}, the log gave it ids ${group.firstId} to ${group.lastId}`,
    );
  }
  return drafts.map(({ event, row, about }, index) => {
    const id = nextId + index;
    const payload = event === "block" ? { ...block, row } : { height, block_hash: hash, row };
    return { id, text: eventText(id, event, payload), about };
  });
}

/** By place: the closing, then the operation, then the listing that it created. */
function changeDrafts(happenings: BlockHappenings, rules: ProtocolRules): readonly Draft[] {
  const placed = [
    ...happenings.closed.map((view) => ({
      place: view.listing.close?.place ?? 0,
      rank: 0,
      draft: listingDraft(view, rules),
    })),
    ...happenings.operations.map((view) => ({
      place: view.operation.place,
      rank: 1,
      draft: operationDraft(view),
    })),
    ...happenings.created.map((view) => ({
      place: view.listing.createdPlace,
      rank: 2,
      draft: listingDraft(asCreated(view), rules),
    })),
  ];
  return placed
    .toSorted((one, other) => one.place - other.place || one.rank - other.rank)
    .map(({ draft }) => draft);
}

/** The listing as it was at the end of its own creation, whatever has happened since. */
function asCreated(view: ListingView): ListingView {
  return { listing: { ...view.listing, close: null }, lifecycle: "open", dec: view.dec };
}

function listingDraft(view: ListingView, rules: ProtocolRules): Draft {
  const { tick, owner, seller, close } = view.listing;
  const parties: readonly (PearlAddress | null)[] = [owner, seller, close?.buyer ?? null];
  return {
    event: "listing",
    row: listingHistoryRow(view, rules),
    about: { tick, dealHash: null, concerns: (address) => parties.some((party) => party === address) },
  };
}

function operationDraft(view: OperationView): Draft {
  const { operation } = view;
  // As of its block: the block was the tip then, so there was one confirmation.
  return {
    event: "operation",
    row: operationRow(view, operation.height),
    about: {
      tick: operation.tick,
      dealHash: null,
      concerns: (address) => isInHistoryOf(operation, address as PearlAddress),
    },
  };
}
