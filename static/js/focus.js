// What has the focus on the canvas.

/** The id of the stage, the edge or the supervisor in focus; "" if there is none. */
export const focused = () => document.activeElement?.closest(".stage, .supervisor, .edge")?.id ?? "";
