// The keys of the rehearsal, and of all commands.
import { EDITOR_KEYS, PAGE_KEYS } from "./keys.js";

export const REHEARSAL_KEYS = {
  "break-point": "b",
  "time-back": "[",
  "time-on": "]",
  pause: "p",
  step: "s",
  "go-on": "g",
  note: "t",
  "hand-over": "h",
  "take-over": "o",
  end: "x",
  ...PAGE_KEYS,
};

/** The keys of all commands: a command has the same keys on every page. */
export const KEYS = { ...EDITOR_KEYS, ...REHEARSAL_KEYS };
