-- The receiving side of machines that send their activity logs: see Receiver.

-- One-time tokens with which machines enroll.
CREATE TABLE mcpproxy_tokens (
	hash    bytea PRIMARY KEY, -- SHA-256 of the token
	note    text NOT NULL,
	made    timestamptz NOT NULL DEFAULT now(),
	expires timestamptz NOT NULL,
	used    timestamptz,
	used_by text -- the machine
);

-- The machines. Each is a writer, whose chain the hub has as far as the machine has sent it.
CREATE TABLE mcpproxy_machines (
	writer   text PRIMARY KEY REFERENCES mcpproxy_writers,
	version  text NOT NULL, -- of its mcpproxy
	enrolled timestamptz NOT NULL DEFAULT now(),
	seen     timestamptz NOT NULL DEFAULT now(), -- when its last request came
	request  bigint NOT NULL,                    -- the number of its last request, which always grows
	revoked  timestamptz
);
