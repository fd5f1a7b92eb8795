package doctor

import (
	"mcpproxy/internal/config"
)

// codePoint checks whether scripts have resource limits.
func codePoint(_ Installation, c *config.Config, _ *Checkup) Check {
	e := c.CodeExecution
	switch {
	case !e.Enabled:
		return well("limits of scripts", "code_execution.enabled", "code mode is off")
	case e.MaxToolCalls < 1 || e.MaxToolCalls > 500:
		return better(
			"limits of scripts",
			"code_execution.max_tool_calls",
			"set 50",
			"one script may make %d calls",
			e.MaxToolCalls,
		)
	case e.TimeoutSecs < 1 || e.TimeoutSecs > longest:
		return better(
			"limits of scripts",
			"code_execution.timeout_secs",
			"set 5",
			"a script may run %d s",
			e.TimeoutSecs,
		)
	case e.HeapMB < 1 || e.HeapMB > 512:
		return better("limits of scripts", "code_execution.heap_mb", "set 64", "a script may use %d MB", e.HeapMB)
	}
	return well(
		"limits of scripts",
		"code_execution.max_tool_calls",
		"%d calls, %d s, %d MB",
		e.MaxToolCalls,
		e.TimeoutSecs,
		e.HeapMB,
	)
}
