// Names in a sentence that is said aloud.

const MOST = 5; // names: more are not listened to

/** The names, or how many more there are than those that are said. @param {string[]} names */
export function few(names) {
  const more = names.length - MOST;
  return more > 1 ? `${names.slice(0, MOST).join(", ")} and ${more} more` : names.join(", ");
}
