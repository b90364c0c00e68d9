// Registers the suite that every storage engine of this service must pass, with the engine handed in.

import { describe } from "node:test";
import { answerCases } from "./answers.ts";
import type { EngineFactory } from "./engine.ts";
import { eventCases } from "./events.ts";
import { exactnessCases } from "./exactness.ts";
import { marketCases } from "./markets.ts";
import { textCases } from "./texts.ts";
import { walkingCases } from "./walking.ts";
import { writingCases } from "./writing.ts";

export type { Damage, EngineFactory, EngineUnderTest } from "./engine.ts";

/** Registers all cases for an engine; those in random worlds in so many of them, three at the most. */
export function storeContract(name: string, factory: EngineFactory, worlds = 3): void {
  describe(`store contract: ${name}`, () => {
    writingCases(factory);
    answerCases(factory, worlds);
    textCases(factory);
    exactnessCases(factory);
    marketCases(factory, worlds);
    walkingCases(factory, worlds);
    eventCases(factory);
  });
}
