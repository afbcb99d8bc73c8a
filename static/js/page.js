// What every page has: hues, notices, dialogs, tabs.
import "./hues.js";
import "./notice.js";
import "./dialogs.js";
import "./tabs.js";
