// What the visitor chose: colours, whole or raw amounts, relative or absolute times. Kept in this browser alone.

import { Store } from "./store.ts";

/** What can be chosen. */
export interface Settings {
  readonly theme: "system" | "light" | "dark";
  readonly amounts: "whole" | "raw";
  readonly times: "relative" | "absolute";
}

const KEY = "strand.settings";
const DEFAULTS: Settings = { theme: "system", amounts: "whole", times: "relative" };

/** What is chosen. */
export const settings = new Store<Settings>(kept());

/** Changes one setting and keeps it. */
export function choose(change: Partial<Settings>): void {
  settings.set({ ...settings.value, ...change });
  applyTheme();
  try {
    localStorage.setItem(KEY, JSON.stringify(settings.value));
  } catch {
    // A browser that keeps nothing still shows what was chosen.
  }
}

/** Gives the document the colours that were chosen; without a choice the system's stand. */
export function applyTheme(): void {
  const { theme } = settings.value;
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

function kept(): Settings {
  try {
    const value = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings>;
    return {
      theme: value.theme === "light" || value.theme === "dark" ? value.theme : DEFAULTS.theme,
      amounts: value.amounts === "raw" ? "raw" : DEFAULTS.amounts,
      times: value.times === "absolute" ? "absolute" : DEFAULTS.times,
    };
  } catch {
    return DEFAULTS;
  }
}
