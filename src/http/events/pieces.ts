// The event log in pieces of bounded work (H-11): a piece is what some groups, or a part of one block, have to tell.
// It is rendered once for all consumers that stand at its beginning, and remembered while there is room and nothing is
// committed.

import type { ProtocolRules } from "../../prc20/rules.ts";
import type { EventGroup } from "../../index/event-groups.ts";
import type { IndexQueries } from "../../index/queries.ts";
import { blockFrames, type Frame, reorgFrame, swapFrames } from "./frames.ts";

/** Where a piece begins: after an id, or inside a block whose earlier events are told. */
export type PieceStart =
  | { readonly kind: "after"; readonly id: number }
  | {
      readonly kind: "inside";
      readonly group: Extract<EventGroup, { kind: "block" }>;
      readonly place: number;
      readonly nextId: number;
    };

/** Some events in order, and where the next piece begins. */
interface Piece {
  readonly frames: readonly Frame[];
  readonly next: PieceStart;
  /** The first id of the log that this piece has read; events between the start and it have left the log. */
  readonly firstId: number;
  /** The last id of the groups that it is of. */
  readonly lastId: number;
  /** Rough size of the texts. */
  readonly characters: number;
}

/** Places of a block that one piece reads, each an operation, a closing or both. */
const PLACES_PER_PIECE = 64;
const GROUPS_PER_READ = 4;
/** Characters of pieces that are remembered: consumers at the end of the log share the newest. */
const REMEMBERED_CHARACTERS = 4 * 1024 * 1024;

/** Reads and remembers pieces. */
export class PieceReader {
  readonly #queries: IndexQueries;
  readonly #rules: ProtocolRules;
  /** Oldest first. */
  readonly #pieces = new Map<string, Piece>();
  readonly #underWay = new Map<string, Promise<Piece | null>>();
  #characters = 0;
  /** Grows with each `forget`: what was begun before it is neither remembered nor shared after it. */
  #generation = 0;

  constructor(queries: IndexQueries, rules: ProtocolRules) {
    this.#queries = queries;
    this.#rules = rules;
  }

  /** The piece that begins there, or null where the log has nothing more. */
  at(start: PieceStart): Promise<Piece | null> | Piece {
    const key = start.kind === "after" ? `${start.id}` : `${start.group.firstId}/${start.place}`;
    const known = this.#pieces.get(key) ?? this.#underWay.get(key);
    if (known !== undefined) return known;
    const generation = this.#generation;
    const reading = this.#read(start).then((piece) => {
      if (generation !== this.#generation) return piece;
      this.#underWay.delete(key);
      if (piece !== null) this.#remember(key, piece);
      return piece;
    });
    this.#underWay.set(key, reading);
    reading.catch(() => {
      if (generation === this.#generation) this.#underWay.delete(key);
    });
    return reading;
  }

  /**
   * Something was committed, a reorganisation perhaps: what was rendered before it may tell of blocks that are undone,
   * and not of all of them, so that who resumes would hear of one without its parent.
   */
  forget(): void {
    this.#generation += 1;
    this.#pieces.clear();
    this.#underWay.clear();
    this.#characters = 0;
  }

  #remember(key: string, piece: Piece): void {
    this.#pieces.set(key, piece);
    this.#characters += piece.characters;
    for (const [oldKey, old] of this.#pieces) {
      if (this.#characters <= REMEMBERED_CHARACTERS) break;
      this.#pieces.delete(oldKey);
      this.#characters -= old.characters;
    }
  }

  async #read(start: PieceStart): Promise<Piece | null> {
    if (start.kind === "inside") return this.#partOf(start.group, start.place, start.nextId);
    const groups = await this.#queries.eventGroups(start.id, GROUPS_PER_READ);
    const [first] = groups;
    if (first === undefined) return null;
    const pieces: Piece[] = [];
    let frames = 0;
    for (const group of groups) {
      const piece = await this.#partOf(group, null, group.firstId);
      pieces.push(piece);
      frames += piece.frames.length;
      if (piece.next.kind === "inside" || frames >= PLACES_PER_PIECE) break;
    }
    return {
      frames: pieces.flatMap((piece) => piece.frames),
      next: pieces.at(-1)?.next ?? start,
      firstId: first.firstId,
      lastId: pieces.at(-1)?.lastId ?? first.lastId,
      characters: pieces.reduce((sum, { characters }) => sum + characters, 0),
    };
  }

  async #partOf(group: EventGroup, from: number | null, nextId: number): Promise<Piece> {
    const after: PieceStart = { kind: "after", id: group.lastId };
    if (group.kind === "reorg") return pieceOf(group, [reorgFrame(group)], after);
    if (group.kind === "swaps") return pieceOf(group, swapFrames(group), after);
    const part = { from, places: PLACES_PER_PIECE };
    const happenings = await this.#queries.happenings(group.height, group.hash, part);
    // Undone since it was read: the reorg event that follows says so.
    if (happenings === null) return pieceOf(group, [], after);
    const frames = blockFrames(group, happenings, this.#rules, nextId);
    const place = happenings.nextPlace;
    if (place === null) return pieceOf(group, frames, after);
    return pieceOf(group, frames, { kind: "inside", group, place, nextId: nextId + frames.length });
  }
}

function pieceOf({ firstId, lastId }: EventGroup, frames: readonly Frame[], next: PieceStart): Piece {
  const characters = frames.reduce((sum, { text }) => sum + text.length, 200);
  return { frames, next, firstId, lastId, characters };
}
