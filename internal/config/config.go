package config

import (
	"os"
	"path/filepath"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/bucket"
	"mcpproxy/internal/registry"
)

// Config is the content of the configuration file.
type Config struct {
	Listen         string           `json:"listen" jsonschema:"Address of the HTTP listener: host:port"`
	APIKey         string           `json:"api_key" jsonschema:"The owner's key for the REST API, the page and everything else; generated and saved when empty"`
	RequireMCPAuth bool             `json:"require_mcp_auth" jsonschema:"Whether the MCP endpoints of the listener require a key: this one, or an agent's token; the Unix socket needs no key. With false every program of this machine may call all tools"`
	DataDir        string           `json:"data_dir" jsonschema:"Folder of the log and the socket"`
	EnableSocket   bool             `json:"enable_socket" jsonschema:"Whether to serve the Unix socket, which needs no key and is the owner's alone"`
	Autostart      bool             `json:"autostart" jsonschema:"Whether mcpproxy stdio and the hooks of agents start the daemon when it does not run and the user has not stopped it"`
	Servers        Servers          `json:"mcpServers" jsonschema:"The MCP servers behind the proxy: an array, or the object form of Claude and Cursor"`
	Groups         map[string]Group `json:"groups" jsonschema:"Groups of servers between which data may not move"`
	CodeExecution  CodeExecution    `json:"code_execution" jsonschema:"Code mode"`
	Secrets        Secrets          `json:"secrets" jsonschema:"How commands that print secrets are run"`
	Registry       Registry         `json:"registry" jsonschema:"Where mcpproxy upstream search and add look for servers"`
	Activity       Activity         `json:"activity" jsonschema:"The activity log"`
	Ship           Ship             `json:"ship" jsonschema:"Which parts of the activity log are sent to the hub at which this machine is enrolled, and to a bucket"`
	State          State            `json:"state" jsonschema:"Where session state lives"`
	Telemetry      Telemetry        `json:"telemetry" jsonschema:"Export of records and traces; /metrics is always there"`
	TLS            ListenTLS        `json:"tls" jsonschema:"Encryption of the listener"`
	Auth           Auth             `json:"auth" jsonschema:"Whom the listener admits by single sign-on or by client certificates"`
	Security       Security         `json:"security" jsonschema:"What is inspected, and how calls are decided"`

	// Exposed lists the files with keys that other users can read, each with what to do. Load sets
	// it.
	Exposed []string `json:"-"`
	// InsecureListen lets other machines use the MCP endpoints without a key. It is set by a flag
	// of mcpproxy serve and not by the file.
	InsecureListen bool `json:"-"`
	// Hub makes the daemon receive the records of other machines. The command mcpproxy hub sets it, not the file.
	Hub bool `json:"-"`
	// Company is what the bundle of a managed machine says; nil on other machines. It is filled
	// by Load.
	Company *Company `json:"-"`
}

// Server is one MCP server.
type Server struct {
	Name             string            `json:"name" jsonschema:"Name of the server: letters, digits, dot, dash, underscore"`
	Command          string            `json:"command,omitempty" jsonschema:"Program of a stdio server"`
	Args             []string          `json:"args,omitempty" jsonschema:"Its arguments"`
	Env              map[string]string `json:"env,omitempty" jsonschema:"Its environment, in addition to PATH, HOME and LANG"`
	WorkingDir       string            `json:"working_dir,omitempty" jsonschema:"Its working folder"`
	URL              string            `json:"url,omitempty" jsonschema:"Address of an HTTP server"`
	Headers          map[string]string `json:"headers,omitempty" jsonschema:"HTTP headers for every request"`
	Protocol         string            `json:"protocol,omitempty" jsonschema:"stdio, http or sse; derived from command and url when empty"`
	Type             string            `json:"type,omitempty" jsonschema:"The name that Claude and Cursor use for protocol"`
	Enabled          *bool             `json:"enabled,omitempty" jsonschema:"Whether to connect; true when absent"`
	TimeoutSecs      int               `json:"timeout_secs,omitempty" jsonschema:"Seconds a call may take without a sign of life; 30 when absent"`
	CircuitBreaker   *bool             `json:"circuit_breaker,omitempty" jsonschema:"Whether calls to a server that fails again and again are refused for a while; true when absent"`
	FailureThreshold int               `json:"failure_threshold,omitempty" jsonschema:"Faults in a row (no answer in time, a broken connection) after which calls are refused; 3 when absent"`
	RecoveryTimeout  int               `json:"recovery_timeout_secs,omitempty" jsonschema:"Seconds for which they are refused before one call tries again; 30 when absent"`
	MaxConcurrent    int               `json:"max_concurrent,omitempty" jsonschema:"Calls under way at once; 64 when absent. Others wait"`
	RatePerSecond    float64           `json:"rate_per_second,omitempty" jsonschema:"Calls a second; no limit when absent. Others wait"`
	MaxQueued        int               `json:"max_queued,omitempty" jsonschema:"Calls that may wait for their turn; 256 when absent. More are refused"`
	QueueTimeoutSecs int               `json:"queue_timeout_secs,omitempty" jsonschema:"Seconds a call may wait for its turn; 10 when absent"`
	MaxSessions      int               `json:"max_sessions,omitempty" jsonschema:"Sessions with the server at once, of all principals; 32 when absent. One principal has half of them at most; the one longest unused is closed for a new one"`
	Shared           bool              `json:"shared,omitempty" jsonschema:"Whether all principals share one session with the server: only for a server that keeps nothing of one caller that another must not see; false when absent"`
	OAuth            *OAuth            `json:"oauth,omitempty" jsonschema:"Log in to an HTTP server with OAuth 2.1: an empty section suffices for most; see mcpproxy upstream login"`
	Isolation        *Isolation        `json:"isolation,omitempty" jsonschema:"Confinement of a stdio server"`
	TLS              *TLS              `json:"tls,omitempty" jsonschema:"How a connection to an https server is secured"`
	Proxy            string            `json:"proxy,omitempty" jsonschema:"http, https or socks5 address of a proxy, or none; from HTTPS_PROXY, HTTP_PROXY and NO_PROXY when absent"`
	MaxTextMB        float64           `json:"max_text_mb,omitempty" jsonschema:"Size of one answer without its binary content in MB; 10 when absent"`
	MaxPagedMB       float64           `json:"max_paged_mb,omitempty" jsonschema:"Size of a tool's result in MB that is delivered in pages of max_text_mb; when absent 15, or half as much again as max_text_mb if that is more; no pages when equal to max_text_mb"`
	MaxBinaryMB      float64           `json:"max_binary_mb,omitempty" jsonschema:"Size of the binary content of one answer in MB, decoded; 1 when absent"`
}

// Group is a named set of servers.
type Group struct {
	Servers   []string `json:"servers" jsonschema:"Names of servers"`
	Isolation string   `json:"isolation" jsonschema:"strict: no data moves to or from another strict group; open: it moves as for servers of no group"`
}

// CodeExecution holds the limits of code mode.
type CodeExecution struct {
	Enabled       bool `json:"enabled" jsonschema:"Whether agents may run scripts"`
	TimeoutSecs   int  `json:"timeout_secs" jsonschema:"Seconds a script may run"`
	HeapMB        int  `json:"heap_mb" jsonschema:"Memory of a script in MB"`
	MaxConcurrent int  `json:"max_concurrent" jsonschema:"Scripts at the same time"`
	MaxToolCalls  int  `json:"max_tool_calls" jsonschema:"Calls of one script"`
	MaxParallel   int  `json:"max_parallel" jsonschema:"Calls of one script at the same time"`
	MaxCode       int  `json:"max_code_bytes" jsonschema:"Bytes of a script"`
	MaxArgs       int  `json:"max_args_bytes" jsonschema:"Bytes of the arguments of one call"`
	MaxOutput     int  `json:"max_output_bytes" jsonschema:"Bytes of a script's result, and of what it prints"`
	Confinement   bool `json:"require_confinement" jsonschema:"Whether to run no script where the system cannot confine it in full (Landlock, a filter of system calls, limits)"`
	MaxFrameMB    int  `json:"max_frame_mb" jsonschema:"Megabytes that a script may pass on at once"`
	StashTTLSecs  int  `json:"stash_ttl_secs" jsonschema:"Seconds that a script's value is kept for later scripts of the session, at most 86400"`
}

// Activity is the section activity: how the activity log is kept.
type Activity struct {
	Store           string `json:"store" jsonschema:"sqlite: a file in the data folder; or the postgres:// address of a database that several gateways share"`
	RetentionDays   int    `json:"retention_days" jsonschema:"Days after which records are removed; 0 is never"`
	MaxRecords      int    `json:"max_records" jsonschema:"Records kept, the newest; 0 means no limit"`
	MaxSizeMB       int    `json:"max_size_mb" jsonschema:"Size of the log on disk in MB, beyond which the oldest records are removed; 0 means no limit"`
	MaxResponseSize int    `json:"max_response_size" jsonschema:"Bytes of a response that are kept"`
	MaskPersonal    bool   `json:"mask_personal" jsonschema:"Whether personal data is masked in the log; its owner can have it shown"`
	Durability      string `json:"durability" jsonschema:"stops: stopped calls are on disk before they are answered; all: every call is"`
	// OnFailure is empty if the file does not set it; see [Activity.DeniesOnFailure].
	OnFailure string `json:"on_failure,omitempty" jsonschema:"What happens to calls while the log cannot be written. deny: all are denied; allow: they go on. The default is deny where durability is all, and allow elsewhere"`
}

// DeniesOnFailure reports whether calls are denied while the log cannot be written.
func (a *Activity) DeniesOnFailure() bool {
	if a.OnFailure == "" {
		return a.Durability == "all"
	}
	return a.OnFailure == "deny"
}

// Ship is the section ship: how the activity log is sent to a hub and to a bucket. Only a machine that mcpproxy enroll
// has enrolled sends anything to a hub.
type Ship struct {
	Hub         string `json:"hub" jsonschema:"Address of the only hub to which the activity log may be sent; when empty, the one at which the machine is enrolled"`
	Mask        string `json:"mask" jsonschema:"none: records are sent to the hub and to the bucket as the log has them, with their secrets masked; bodies: arguments and responses stay on this machine"`
	MaxUnsentMB int    `json:"max_unsent_mb" jsonschema:"Size of the log on disk in MB up to which records that the hub or the bucket does not have are kept, whatever activity.retention_days, max_records and max_size_mb say"`
	Bucket      string `json:"bucket" jsonschema:"Bucket of an S3-compatible store to which the activity log is sent as compressed JSON lines: s3://BUCKET/PREFIX; empty for none. The daemon's environment has the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN)"`
	S3          S3     `json:"s3" jsonschema:"Where the store of ship.bucket is"`
}

// S3 says where an S3-compatible store is.
type S3 struct {
	Endpoint string `json:"endpoint" jsonschema:"Address of the store, such as https://minio.example.com; empty for AWS"`
	Region   string `json:"region" jsonschema:"Region of the bucket; us-east-1 when empty"`
}

// Place returns the bucket to which the log is sent; the zero value if it is sent to none.
func (s *Ship) Place() bucket.Place {
	if s.Bucket == "" {
		return bucket.Place{}
	}
	return bucket.Place{
		Address:  s.Bucket,
		Endpoint: s.S3.Endpoint,
		Region:   s.S3.Region,
	}
}

// State says where session state is stored, and how the replicas that share it work together.
type State struct {
	Store     string `json:"store" jsonschema:"memory, or the address of a Valkey or Redis server (7 or later) that several replicas share: valkey://USER:PASSWORD@HOST:PORT/DATABASE, valkeys:// with TLS"`
	Key       string `json:"key,omitempty" jsonschema:"The secret of the replicas that share a store, at least 32 bytes, the same on each; names in the store are hashed and contents sealed with it"`
	Advertise string `json:"advertise,omitempty" jsonschema:"URL under which the other replicas reach this one, such as http://10.0.0.5:8080"`
	OnOutage  string `json:"on_outage" jsonschema:"What happens to calls while the shared store cannot be reached. deny: all are denied; local: each replica goes on with what it knows itself, and flows between replicas are missed"`
}

// Shared reports whether replicas share the state.
func (s *State) Shared() bool { return s.Store != "memory" }

// Telemetry says where records and traces are sent.
type Telemetry struct {
	Enabled      bool              `json:"enabled" jsonschema:"Whether to export"`
	OTLPEndpoint string            `json:"otlp_endpoint" jsonschema:"Address of an OTLP collector that takes JSON over HTTP, such as http://127.0.0.1:4318, or https on another machine; /v1/logs and /v1/traces are added"`
	OTLPHeaders  map[string]string `json:"otlp_headers" jsonschema:"HTTP headers for the collector, such as its key"`
	ServiceName  string            `json:"service_name" jsonschema:"What this daemon calls itself there (service.name)"`
	Syslog       Syslog            `json:"syslog" jsonschema:"A syslog server (RFC 5424) that gets every record"`
}

// Syslog is telemetry.syslog.
type Syslog struct {
	Address string `json:"address" jsonschema:"host:port, or the path of a socket such as /dev/log; nothing is sent when empty"`
	Network string `json:"network" jsonschema:"udp, tcp, tls or unix; udp and tcp carry records unencrypted, so use tls to another machine"`
	Format  string `json:"format" jsonschema:"cef or json"`
}

// Registry is the section registry.
type Registry struct {
	URL string `json:"url" jsonschema:"Address of a registry with the interface of registry.modelcontextprotocol.io; https, or http on this machine"`
}

// IsEnabled reports whether mcpproxy connects to the server.
func (s Server) IsEnabled() bool { return s.Enabled == nil || *s.Enabled }

// DefaultPath returns the path in MCPPROXY_CONFIG, or else ~/.mcpproxy/mcp_config.json.
func DefaultPath() string {
	if p := os.Getenv("MCPPROXY_CONFIG"); p != "" {
		return p
	}
	return filepath.Join(userFolder(), ".mcpproxy", "mcp_config.json")
}

func userFolder() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return "."
	}
	return dir
}

// SocketPath returns the path of the Unix socket.
func (c *Config) SocketPath() string {
	if p := os.Getenv("MCPPROXY_SOCKET"); p != "" {
		return p
	}
	return filepath.Join(c.DataDir, "mcpproxy.sock")
}

// LogPath returns the path of the activity log.
func (c *Config) LogPath() string { return filepath.Join(c.DataDir, "activity.db") }

// LogDatabase returns the address of the activity log's PostgreSQL database, or "" if the log is a
// file.
func (c *Config) LogDatabase() string {
	if isPostgres(c.Activity.Store) {
		return c.Activity.Store
	}
	return ""
}

func isPostgres(store string) bool {
	return strings.HasPrefix(store, "postgres://") || strings.HasPrefix(store, "postgresql://")
}

// Default returns the configuration of an empty file.
func Default() *Config {
	return &Config{
		Listen:         "127.0.0.1:8080",
		RequireMCPAuth: true,
		DataDir:        filepath.Join(userFolder(), ".mcpproxy"),
		EnableSocket:   true,
		CodeExecution: CodeExecution{
			TimeoutSecs:   5,
			HeapMB:        64,
			MaxConcurrent: 8,
			MaxToolCalls:  50,
			MaxParallel:   8,
			MaxCode:       64 << 10,
			MaxArgs:       1 << 20,
			MaxOutput:     1 << 20,
			MaxFrameMB:    64,
			StashTTLSecs:  3600,
		},
		Auth: Auth{OIDC: OIDC{
			Claims: OIDCClaims{Principal: "sub", Groups: "groups"},
			Page: OIDCPage{
				Scopes:   []string{"profile", "email"},
				Owners:   []string{},
				Auditors: []string{},
				Recheck:  "15m",
			},
		}},
		Secrets:  defaultSecrets(),
		Registry: Registry{URL: registry.Official},
		Activity: Activity{
			Store:           "sqlite",
			RetentionDays:   90,
			MaxRecords:      100000,
			MaxSizeMB:       256,
			MaxResponseSize: 65536,
			MaskPersonal:    true,
			Durability:      "stops",
		},
		Ship:      Ship{Mask: "none", MaxUnsentMB: 1024},
		State:     State{Store: "memory", OnOutage: "deny"},
		Telemetry: Telemetry{ServiceName: "mcpproxy", Syslog: Syslog{Network: "udp", Format: "cef"}},
		Security:  defaultSecurity(),
	}
}

// defaultSecurity returns the section security of an empty file.
func defaultSecurity() Security {
	return Security{
		PIIDetection:   PIIDetection{Enabled: true, AutoRedactAfterDays: 30},
		RiskAssessment: RiskAssessment{Enabled: true, AutoFlagThreshold: 70, RequireApprovalThreshold: 85},
		ToolQuarantine: ToolQuarantine{
			Enabled:                true,
			AutoQuarantineNewTools: true,
			RugPullDetection:       true,
			ProgramChange:          "warn",
		},
		ToolPolicy: ToolPolicy{
			Read:          mcpproxy.Allow,
			Write:         mcpproxy.Allow,
			Destructive:   mcpproxy.Ask,
			Contradiction: mcpproxy.Deny,
			LogLevel:      "warn",
		},
		Alerts: Alerts{ExfiltrationDetection: true, PIIExposure: true},
		Exfiltration: Exfiltration{
			MaxExternalCallsPerMinute: 10,
			MaxSensitiveSends:         3,
			MaxBytes:                  1 << 20,
			MaxDestinations:           10,
			WindowMinutes:             5,
			Action:                    mcpproxy.Ask,
		},
		FlowTracking: FlowTracking{
			Enabled:               true,
			SessionTimeoutMinutes: 30,
			MaxOriginsPerSession:  10000,
			HashMinLength:         20,
			MaxResponseHashBytes:  65536,
		},
		Classification: Classification{DefaultUnknown: mcpproxy.Internal},
		FlowPolicy: FlowPolicy{
			InternalToExternal:    mcpproxy.Ask,
			SensitiveDataExternal: mcpproxy.Deny,
			DeclaredDestination:   mcpproxy.Allow,
			UntrustedDestination:  mcpproxy.Ask,
			InjectedDestination:   mcpproxy.Deny,
			DictatedAct:           mcpproxy.Ask,
			UnrequestedAct:        mcpproxy.Ask,
			MetadataDestination:   mcpproxy.Ask,
			SessionTaint:          mcpproxy.Ask,
			OpaquePayload:         mcpproxy.Ask,
			RequireJustification:  true,
			SuspiciousEndpoints: []string{
				"webhook.site",
				"requestbin.com",
				"pipedream.net",
				"hookbin.com",
				"beeceptor.com",
			},
		},
		Hooks: Hooks{
			Enabled:               true,
			FailOpen:              true,
			CorrelationTTLSeconds: 5,
			AskFallback:           mcpproxy.Deny,
			NestedAgents:          mcpproxy.Deny,
		},
		Approvals:      Approvals{Elicitation: true, Expiry: "10m"},
		ContentScan:    ContentScan{Results: "warn"},
		ErrorRedaction: "on",
	}
}
