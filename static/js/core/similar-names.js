// Known names that are similar to a misspelt one. Pure functions.

/**
 * The names most similar to a text, the most similar first; case is ignored.
 * @param {string} text
 * @param {string[]} names
 * @param {number} [most] largest number of names
 * @returns {string[]}
 */
export function similarNames(text, names, most = 2) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  return names
    .map((name) => ({ name, away: distance(wanted, name.toLowerCase()) }))
    .filter(({ name, away }) => away <= Math.max(1, Math.min(wanted.length, name.length) / 3))
    .sort((a, b) => a.away - b.away)
    .slice(0, most)
    .map(({ name }) => name);
}

/**
 * Number of letters to insert, delete, replace or swap between two texts; a text that contains the other is one away.
 * @param {string} a
 * @param {string} b
 */
export function distance(a, b) {
  if (a === b) return 0;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length >= 3 && long.includes(short)) return 1;
  let [before, last] = [/** @type {number[]} */ ([]), Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let at = 1; at <= b.length; at++) {
      const cost = a[row - 1] === b[at - 1] ? 0 : 1;
      next[at] = Math.min(last[at] + 1, next[at - 1] + 1, last[at - 1] + cost);
      const isSwapped = row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1];
      if (isSwapped) next[at] = Math.min(next[at], before[at - 2] + 1);
    }
    [before, last] = [last, next];
  }
  return last[b.length];
}
