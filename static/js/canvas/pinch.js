// Zooms and pans with two fingers.

/**
 * Keep the points of the canvas under both fingers.
 * @param {import("./view.js").View} view
 * @param {Map<number, PointerEvent>} pressed
 * @returns {import("./pointer.js").Gesture}
 */
export function pinch(view, pressed) {
  const spread = () => {
    const [a, b] = [...pressed.values()];
    return {
      clientX: (a.clientX + b.clientX) / 2,
      clientY: (a.clientY + b.clientY) / 2,
      distance: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1,
    };
  };
  /** @type {ReturnType<typeof spread> | undefined} */
  let before;
  return {
    move() {
      if (pressed.size < 2) return;
      const now = spread();
      before ??= now;
      view.pan(now.clientX - before.clientX, now.clientY - before.clientY);
      view.zoom((view.scale * now.distance) / before.distance, now);
      before = now;
    },
    drop() {},
    cancel() {},
  };
}
