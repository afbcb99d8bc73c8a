// At the edge of the window the paper creeps along under what one carries, so that it can be put down beyond.

const RIM = 28; // pixels, within which it does
const MOST = 14; // pixels for each frame, at the edge itself

/**
 * Creep as long as something is carried. What was taken up within the rim has to leave that first.
 * @param {import("./view.js").View} view
 * @param {() => {clientX: number, clientY: number} | false} where the pointer is, until it is let go
 * @param {() => void} moved what is to be done when the view has moved
 */
export function creep(view, where, moved) {
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

/** How far a place is within the rim, from 0 to 1, and towards which end. @param {number} at @param {number} length */
function beyond(at, length) {
  if (at < RIM) return Math.min(1, (RIM - at) / RIM);
  return at > length - RIM ? -Math.min(1, (at - length + RIM) / RIM) : 0;
}
