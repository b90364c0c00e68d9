// Talks to the service for tests: plain fetch, with the body as JSON beside status and headers.

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed object; {} where there is no body. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A client of one service. */
export class Http {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send("GET", path, { headers });
  }

  /** Sends a value as JSON. */
  post(path: string, value?: unknown): Promise<Answer> {
    if (value === undefined) return this.send("POST", path, {});
    const body = JSON.stringify(value);
    return this.send("POST", path, { body, headers: { "content-type": "application/json" } });
  }

  async send(
    method: string,
    path: string,
    { body, headers = {} }: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const parsed: Record<string, unknown> = text.startsWith("{") ? JSON.parse(text) : {};
    return { status: response.status, headers: response.headers, body: parsed, text };
  }
}
