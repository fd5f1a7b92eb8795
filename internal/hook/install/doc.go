// Package install adds mcpproxy's hook to the settings of agents, removes it again, and reports
// where it is installed. A [Place] is one settings file. [Place.Install] and [Place.Uninstall]
// return a plan; [Plan.Diff] shows it and [Plan.Apply] carries it out.
//
// Guarantees:
//
//   - A settings file keeps its comments, order, formatting, mode and other hooks. A file that
//     is not valid JSON with comments stays unchanged.
//   - Installing twice has the same result as installing once. Uninstalling restores the original
//     bytes if no other program has changed the file since; otherwise it removes only our entries.
//   - Files are replaced atomically, also behind symbolic links. A backup is kept in a folder that
//     only the user can read, because settings contain secrets.
//   - The entries contain no key, port or secret. They contain a command with an absolute path
//     and plain flags.
package install
