// Where is the interface documented? /openapi.json, and a page at /docs that renders it with everything it needs
// from this server (H-50).

import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { jsonAnswer } from "../answer.ts";
import { send } from "../context.ts";
import type { OpenApiDocument } from "../openapi.ts";

/** Adds the documents. */
export async function registerDocs(app: FastifyInstance, document: OpenApiDocument): Promise<void> {
  const answer = jsonAnswer(200, document);
  app.get("/openapi.json", async (request, reply) => send(request, reply, answer));
  await app.register(swagger, { mode: "static", specification: { document } });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    // The page's default would send the document to a validator on the internet.
    uiConfig: { validatorUrl: null, docExpansion: "list" },
    // The policy lets the browser load from this server only, whatever the page may try.
    staticCSP: true,
  });
}
