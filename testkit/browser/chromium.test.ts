// A watched page complains of what a test has to fail on, each in its own words.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { needsChromium, openPage, startChromium } from "./chromium.ts";

const BASE = "http://127.0.0.1:9";

async function complaintsOf(html: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const browser = await startChromium();
  try {
    const { page, complaints } = await openPage(browser, BASE);
    // Nothing is really asked: every request is answered here.
    await page.route("**/*", (route) => route.fulfill({ contentType: "text/html", body: html, headers }));
    await page.goto(`${BASE}/`, { waitUntil: "networkidle" });
    return complaints.join("\n");
  } finally {
    await browser.close();
  }
}

describe("a watched page", needsChromium(), () => {
  test("a quiet page is not complained of", async () => {
    assert.equal(await complaintsOf("<p>quiet</p>"), "");
  });
  test("words to the console, errors, other hosts and breaches of the policy are", async () => {
    const loud = await complaintsOf(`<img src="http://elsewhere.example/a.png">
      <script>console.warn("a warning"); throw new Error("a fault")</script>`);
    assert.match(loud, /console: a warning/);
    assert.match(loud, /thrown: a fault/);
    assert.match(loud, /another host: http:\/\/elsewhere\.example/);
    const policy = { "content-security-policy": "default-src 'none'" };
    assert.match(await complaintsOf("<script>1</script>", policy), /Content Security Policy/);
  });
  test("who answers for the service when it is closed is not told that the answer comes too late", async () => {
    const browser = await startChromium();
    try {
      const { page, close } = await openPage(browser, BASE);
      const [asked, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await page.route("**/*", async () => {
        asked.resolve();
        await closed.promise;
        throw new Error("the answer was read after the page was closed");
      });
      void page.goto(`${BASE}/`).catch(() => undefined);
      await asked.promise;
      await close();
      // Unless it is caught, it ends the process of the tests.
      closed.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      await browser.close();
    }
  });
});
