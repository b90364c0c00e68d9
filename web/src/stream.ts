// News of the service as server-sent events (H-39), once for all tabs of a browser: a stream keeps a connection for
// itself, and browsers give six of them to a server without HTTP/2, all tabs together. One tab that is seen has the
// stream and tells the others; a tab that nobody sees gives it away.

/** What the tabs of a browser call their stream. */
const NAME = "strand.events";
/** A tab that waited longer than this for its stream may have missed something meanwhile. */
const AT_ONCE_MS = 1_000;
const WAIT_BEFORE_AGAIN_MS = 3_000;

/** One event of the service. */
export interface News {
  readonly kind: string;
  /** Height that a `block` brings; null for other kinds. */
  readonly height: number | null;
}

/** What is said where something may have been missed. The service has no such event. */
export const MISSED: News = { kind: "missed", height: null };

/** Calls `hear` with every event of these kinds. Called once. */
export function followEvents(kinds: readonly string[], hear: (news: News) => void): void {
  const channel = new BroadcastChannel(NAME);
  channel.addEventListener("message", ({ data }) => hear(data as News));
  const tell = (news: News): void => {
    hear(news);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows: a channel has one origin
    channel.postMessage(news);
  };
  const follow = (since: number): void => {
    const hidden = untilHidden();
    const hold = async (): Promise<void> => {
      if (hidden.aborted) return;
      streamUntil(hidden, kinds, tell, performance.now() - since > AT_ONCE_MS);
      await new Promise((done) => hidden.addEventListener("abort", done));
    };
    // A page over plain http on a LAN is given no locks: there each tab that is seen has a stream of its own.
    if (navigator.locks === undefined) void hold();
    else navigator.locks.request(NAME, { signal: hidden }, hold).catch(() => undefined);
  };
  // The time of the first one counts from the beginning of the page; a tab that is seen again has missed something.
  if (document.visibilityState === "visible") follow(performance.now());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") follow(Number.NEGATIVE_INFINITY);
  });
}

/** Aborted when nobody sees the tab any more. */
function untilHidden(): AbortSignal {
  const hidden = new AbortController();
  document.addEventListener("visibilitychange", () => hidden.abort(), { once: true });
  return hidden.signal;
}

function streamUntil(
  end: AbortSignal,
  kinds: readonly string[],
  tell: (news: News) => void,
  isLate: boolean,
): void {
  const stream = new EventSource("/api/v1/events");
  end.addEventListener("abort", () => stream.close());
  if (isLate) stream.addEventListener("open", () => tell(MISSED), { once: true });
  for (const kind of kinds) {
    stream.addEventListener(kind, ({ data }: MessageEvent<string>) =>
      tell({ kind, height: kind === "block" ? heightIn(data) : null }),
    );
  }
  // Where the browser gives up by itself (an error status), it is begun anew.
  stream.addEventListener("error", () => {
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(() => {
      if (!end.aborted) streamUntil(end, kinds, tell, true);
    }, WAIT_BEFORE_AGAIN_MS);
  });
}

function heightIn(data: string): number | null {
  const { height } = JSON.parse(data) as { readonly height?: unknown };
  return typeof height === "number" ? height : null;
}
