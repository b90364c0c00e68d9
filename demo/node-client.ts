// Hands the actors' transactions to the node by its JSON-RPC over HTTP, as any wallet would.

/** A node as wallets use it. */
export interface NodeClient {
  /** Offers a transaction; resolves with its id. @throws Error with the node's words where it is refused. */
  sendRawTransaction(hex: string): Promise<string>;
}

const PATIENCE_MS = 5_000;

/** A client with Basic auth. */
export function nodeClient(url: string, user: string, password: string): NodeClient {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

  async function call(method: string, params: readonly unknown[]): Promise<unknown> {
    const response = await fetch(url, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "1.0", id: 1, method, params }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const answer: unknown = await response.json();
    if (typeof answer !== "object" || answer === null || !("result" in answer) || !("error" in answer)) {
      throw new Error(`the node's answer to ${method} is no JSON-RPC`);
    }
    const { error } = answer;
    if (error === null) return answer.result;
    const said =
      typeof error === "object" && "message" in error ? String(error.message) : JSON.stringify(error);
    throw new Error(said);
  }

  return {
    sendRawTransaction: async (hex) => {
      const txid = await call("sendrawtransaction", [hex]);
      if (typeof txid !== "string") throw new Error("the node answered sendrawtransaction without an id");
      return txid;
    },
  };
}
