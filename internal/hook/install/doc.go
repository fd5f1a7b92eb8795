// Package install enters mcpproxy's hook into the settings of agents, takes it
// out again, and says how things stand. One file of settings is one [Place];
// [Plan.Apply] writes what [Place.Install] or [Place.Uninstall] planned, and
// [Plan.Diff] shows it.
//
// What it guarantees:
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
