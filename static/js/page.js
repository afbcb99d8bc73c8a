// What every page has: hues, notices, dialogs, the inbox.
import "./hues.js";
import "./notice.js";
import "./dialogs.js";
import "./inbox.js";
