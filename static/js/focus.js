// What has the focus on the canvas.

/** What can be pointed at, selected and taken up. */
export const THINGS = ".stage, .supervisor, .edge, .note, .frame";

/** The id of the stage, the edge, the note, the frame or the supervisor in focus; "" if there is none. */
export const focused = () => document.activeElement?.closest(THINGS)?.id ?? "";
