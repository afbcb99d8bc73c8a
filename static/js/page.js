// What every page has: hues, notices, dialogs.
import "./hues.js";
import "./notice.js";
import "./dialogs.js";
