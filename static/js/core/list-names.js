// A list of names for an announcement.

const MAX_NAMES = 5; // longer lists are not listened to

/** Join names; a long list ends with the number of the rest. @param {string[]} names */
export function listNames(names) {
  const more = names.length - MAX_NAMES;
  return more > 1 ? `${names.slice(0, MAX_NAMES).join(", ")} and ${more} more` : names.join(", ");
}
