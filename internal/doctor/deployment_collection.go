package doctor

import (
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
)

// collectionPoint checks whether the log is also stored elsewhere.
func collectionPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	sent := daemon.ExportSettings(c)
	switch {
	case sent.OTLP.Endpoint != "":
		return well("collection of the log", "telemetry.otlp_endpoint", "records go to a collector")
	case sent.Syslog.Address != "":
		return well("collection of the log", "telemetry.syslog.address", "records go to syslog")
	}
	if t := c.Telemetry; !t.Enabled && t.OTLPEndpoint+t.Syslog.Address != "" {
		return better(
			"collection of the log",
			"telemetry.enabled",
			"set it to true",
			"a destination for records is set, but nothing is sent",
		)
	}
	return better(
		"collection of the log",
		"telemetry.otlp_endpoint",
		"send records to a collector or to telemetry.syslog.address, where an intruder on this machine cannot change them",
		"records are kept on this machine alone",
	)
}
