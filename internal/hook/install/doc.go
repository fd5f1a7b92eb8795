// Package install adds mcpproxy's hook to the settings of agents, removes it again,
// and reports where it is installed. A [Place] is one settings file. [Place.Install] and
// [Place.Uninstall] return a plan; [Plan.Diff] shows it and [Plan.Apply] carries it out.
//
// Guarantees:
//
//   - A file of settings keeps its comments, order, formatting, mode and other
//     hooks. A file that cannot be read as JSON with comments is left alone.
//   - Installing twice is installing once. Uninstalling gives back the very bytes
//     from before, when nothing else has changed the file since; else it removes
//     our entries and nothing more.
//   - Files are replaced at once, behind symbolic links too. What was there is
//     kept in a folder that only the user can read, since settings hold secrets.
//   - Nothing that is written holds a key, a port or a secret: a command with
//     plain flags, by its absolute path.
package install
