// `strand export` and `strand import`: what their command lines must say, and what they print.

import type { SnapshotProof } from "../snapshots.ts";
import { configOf, out, redacted } from "./commands.ts";
import { SNAPSHOT_FLAGS } from "./help.ts";
import { CommandLineWrong } from "./ending.ts";

const [TO, FROM, DIGEST_URL, REPLAY] = [
  SNAPSHOT_FLAGS.to[0],
  SNAPSHOT_FLAGS.from[0],
  SNAPSHOT_FLAGS.digestUrl[0],
  SNAPSHOT_FLAGS.replay[0],
];

type Flags = ReadonlyMap<string, string>;

/** The flags of the configuration alone. */
function settingsOf(flags: Flags): Flags {
  const own = new Set<string>([TO, FROM, DIGEST_URL, REPLAY]);
  return new Map([...flags].filter(([name]) => !own.has(name)));
}

function folderOf(flags: Flags, flag: string): string {
  const folder = flags.get(flag);
  if (folder === undefined) throw new CommandLineWrong([`${flag} <folder> is missing`]);
  return folder;
}

function proofOf(flags: Flags): SnapshotProof {
  const [url, blocks] = [flags.get(DIGEST_URL), flags.get(REPLAY)];
  if ((url === undefined) === (blocks === undefined))
    throw new CommandLineWrong([
      `say what shows that the snapshot is right: ${DIGEST_URL} <url of another Strand>, or ${REPLAY} <blocks>`,
    ]);
  if (url !== undefined) {
    // It may hold a login, so it is not repeated.
    if (!/^https?:/.test(url) || !URL.canParse(url))
      throw new CommandLineWrong([
        `${DIGEST_URL} is no http(s) address: write it like https://another.example`,
      ]);
    return { kind: "url", url };
  }
  const count = Number(blocks);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new CommandLineWrong([`${REPLAY}: ${String(blocks)} is no number of blocks`]);
  return { kind: "replay", blocks: count };
}

/** `strand export --to <folder>`: writes a snapshot, also beside a running service. */
export async function runExport(flags: Flags): Promise<number> {
  const folder = folderOf(flags, TO);
  const config = configOf(settingsOf(flags));
  const { exportIndex } = await import("../snapshots.ts");
  const { height, hash, digest, parts } = await redacted(config.redact, () => exportIndex(config, folder));
  out(
    `block ${height} ${hash}, digest ${digest}, in ${parts.length} ${parts.length === 1 ? "part" : "parts"}`,
  );
  return 0;
}

/** `strand import --from <folder>` with what is to be believed: makes the database, or says what is wrong. */
export async function runImport(flags: Flags): Promise<number> {
  const folder = folderOf(flags, FROM);
  const proof = proofOf(flags);
  const config = configOf(settingsOf(flags));
  const { importIndex } = await import("../snapshots.ts");
  await redacted(config.redact, () => importIndex(config, folder, proof, out));
  out("imported: start the service");
  return 0;
}
