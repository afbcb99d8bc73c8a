// Fuzzy search: finds entries by a few letters. Pure functions.

/**
 * The quality of a match, and the positions of the matching letters.
 * @typedef {{score: number, marks: number[]}} Match
 */

/**
 * Match a text with a query: each word, in any order, must be part of the text, or its letters must follow each other
 * in the text. Otherwise null.
 * @param {string} query
 * @param {string} text
 * @returns {Match | null}
 */
export function match(query, text) {
  const lower = text.toLowerCase();
  let score = 0;
  const marks = new Set();
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const found = part(word, lower) ?? letters(word, lower);
    if (!found) return null;
    score += found.score;
    for (const mark of found.marks) marks.add(mark);
  }
  return { score: score - text.length / 100, marks: [...marks].sort((a, b) => a - b) };
}

/**
 * Return the matching entries, the best first; equal ones keep their order.
 * @template T
 * @param {string} query
 * @param {T[]} entries
 * @param {(entry: T) => string} textOf
 * @param {number} most largest number of entries
 * @param {(entry: T) => number} [bonusOf] points that an entry has in advance
 * @returns {{entry: T, marks: number[]}[]}
 */
export function best(query, entries, textOf, most, bonusOf = () => 0) {
  if (!query.trim()) return entries.slice(0, most).map((entry) => ({ entry, marks: [] }));
  return entries
    .flatMap((entry) => {
      const found = match(query, textOf(entry));
      return found ? [{ entry, marks: found.marks, score: found.score + bonusOf(entry) }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ entry, marks }) => ({ entry, marks }));
}

/**
 * Match the word as part of the text, preferably where a word begins.
 * @param {string} word
 * @param {string} text
 * @returns {Match | null}
 */
function part(word, text) {
  const starts = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) starts.push(at);
  if (!starts.length) return null;
  const at = starts.find((start) => begins(text, start)) ?? starts[0];
  return { score: at === 0 ? 100 : begins(text, at) ? 80 : 50, marks: [...word].map((_, step) => at + step) };
}

/**
 * Match the letters of the word in turn, the first where a word begins.
 * @param {string} word
 * @param {string} text
 * @returns {Match | null}
 */
function letters(word, text) {
  const marks = [];
  let score = 30;
  let at = -1;
  for (const letter of word) {
    let next = text.indexOf(letter, at + 1);
    if (!marks.length) while (next >= 0 && !begins(text, next)) next = text.indexOf(letter, next + 1);
    if (next < 0) return null;
    if (marks.length && next !== at + 1) score -= begins(text, next) ? 1 : 4;
    at = next;
    marks.push(at);
  }
  return score > 0 ? { score, marks } : null;
}

/** @param {string} text @param {number} at */
const begins = (text, at) => at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1]);
