// What every page has: hues, notices, dialogs; and the inbox, which nobody waits for.
import "./hues.js";
import "./notice.js";
import "./dialogs.js";

import("./inbox.js");
