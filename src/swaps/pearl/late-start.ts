// The height from which blocks must be read for scripts that become known late, by the times of blocks.

/** How many blocks in a row must be older than the wanted time before reading may begin after them. */
const OLDER_IN_A_ROW = 11;

/**
 * The lowest height from which blocks must be read so that none with a time >= `time` is left out (S-53); `tip + 1`
 * where the tip itself is older. Pearl's block times rise strictly (consensus), so halving is exact there; for chains
 * whose times only exceed a median, the start moves down until 11 blocks in a row are older.
 */
export async function firstHeightAt(
  time: number,
  tip: number,
  timeAt: (height: number) => Promise<number>,
): Promise<number> {
  let low = 0;
  let high = tip + 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((await timeAt(middle)) >= time) high = middle;
    else low = middle + 1;
  }
  let start = high;
  for (let height = high - 1; height >= 0 && start - height <= OLDER_IN_A_ROW; height -= 1) {
    if ((await timeAt(height)) >= time) start = height;
  }
  return start;
}
