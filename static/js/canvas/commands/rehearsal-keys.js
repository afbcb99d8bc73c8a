// The keys of the commands of a rehearsal. The editor loads them only for its list of all keys.
import { PAGE_KEYS } from "./key-bindings.js";

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
