// Pans the view while something is dragged near the edge of the window.

const RIM = 28; // pixels from the edge within which the view pans
const MOST = 14; // pixels for each frame, at the edge itself

/**
 * Pan while something is dragged. A drag that begins near the edge has to leave the edge first.
 * @param {import("./view.js").View} view
 * @param {() => {clientX: number, clientY: number} | false} where the pointer, until the drag ends
 * @param {() => void} moved called after the view has moved
 */
export function autoPan(view, where, moved) {
  let roams = false;
  const step = () => {
    const at = where();
    if (!at) return;
    const { x, y, width, height } = view.window;
    const [dx, dy] = [beyond(at.clientX - x, width), beyond(at.clientY - y, height)];
    roams ||= !dx && !dy;
    if (roams && (dx || dy)) {
      view.roll(dx * MOST, dy * MOST);
      moved();
    }
    requestAnimationFrame(step);
  };
  step();
}

/**
 * The depth of a point within the rim, from 0 to 1; negative at the far end.
 * @param {number} at
 * @param {number} length
 */
function beyond(at, length) {
  if (at < RIM) return Math.min(1, (RIM - at) / RIM);
  return at > length - RIM ? -Math.min(1, (at - length + RIM) / RIM) : 0;
}
