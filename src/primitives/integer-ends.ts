// The integers that stand for the ends of a list in its keys (H-06). They go out in cursors and have to be accepted when
// they return.

/** An integer below those of all keys: they begin at 0. */
export const BELOW_INTEGERS = -1;
/** An integer above those of all keys. */
export const ABOVE_INTEGERS = Number.MAX_SAFE_INTEGER;
