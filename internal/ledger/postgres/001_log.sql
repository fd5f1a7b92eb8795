-- The activity log of several gateways. Each gateway (writer) has a hash chain of its own.

-- The gateways that have ever written, with their public keys.
CREATE TABLE mcpproxy_writers (
	writer text PRIMARY KEY, -- short name of the key
	key    bytea NOT NULL,   -- Ed25519
	host   text NOT NULL,
	joined timestamptz NOT NULL DEFAULT now()
);

-- The signed end of each chain.
CREATE TABLE mcpproxy_heads (
	writer    text PRIMARY KEY REFERENCES mcpproxy_writers,
	day       date NOT NULL, -- the partition of the last record
	seq       bigint NOT NULL,
	id        text NOT NULL,
	hash      text NOT NULL,
	count     bigint NOT NULL,
	time      bigint NOT NULL, -- microseconds since 1970, as everywhere below
	key       text NOT NULL,
	signature bytea NOT NULL
);

-- Signed states of the chains at earlier records.
CREATE TABLE mcpproxy_checkpoints (
	writer    text NOT NULL REFERENCES mcpproxy_writers,
	seq       bigint NOT NULL,
	reason    text NOT NULL,
	id        text NOT NULL,
	hash      text NOT NULL,
	count     bigint NOT NULL,
	time      bigint NOT NULL,
	key       text NOT NULL,
	signature bytea NOT NULL,
	PRIMARY KEY (writer, seq, reason)
);

-- What each gateway has seen of all chains: a signed JSON document.
CREATE TABLE mcpproxy_rolls (
	writer text PRIMARY KEY REFERENCES mcpproxy_writers,
	body   bytea NOT NULL
);

-- What each partition has of each chain.
CREATE TABLE mcpproxy_days (
	day     date NOT NULL,
	writer  text NOT NULL REFERENCES mcpproxy_writers,
	records bigint NOT NULL,
	low     bigint NOT NULL, -- no record is older
	high    bigint NOT NULL, -- no record is newer
	high_id text COLLATE "C" NOT NULL,
	PRIMARY KEY (day, writer)
);

CREATE SEQUENCE mcpproxy_pos;

-- The records. Body is what the hash covers; the other columns serve to find the record. The day
-- never decreases along a chain, so that the partitions of the oldest days are the chains' beginnings.
CREATE TABLE mcpproxy_records (
	day        date NOT NULL,
	pos        bigint NOT NULL DEFAULT nextval('mcpproxy_pos'),
	writer     text NOT NULL,
	seq        bigint NOT NULL,
	id         text COLLATE "C" NOT NULL,
	ts         bigint NOT NULL,
	type       text NOT NULL,
	session    text NOT NULL,
	flow       text NOT NULL,
	request    text NOT NULL,
	parent     text NOT NULL,
	principal  text NOT NULL,
	server     text NOT NULL,
	tool       text NOT NULL,
	status     text NOT NULL,
	decision   text NOT NULL,
	rule       text NOT NULL,
	flow_type  text NOT NULL,
	risk       smallint NOT NULL, -- rank; -1 of a record about something else than a call
	sensitive  boolean NOT NULL,
	detections text NOT NULL, -- ",email,phone,"
	severity   smallint NOT NULL, -- rank; -1 without detections
	form       smallint NOT NULL,
	prev       text NOT NULL,
	hash       text NOT NULL,
	body       bytea NOT NULL,
	salt       bytea,
	arguments  bytea,
	response   bytea,
	PRIMARY KEY (day, pos)
) PARTITION BY RANGE (day);

CREATE INDEX mcpproxy_by_id ON mcpproxy_records (id);
CREATE UNIQUE INDEX mcpproxy_by_seq ON mcpproxy_records (day, writer, seq);
CREATE INDEX mcpproxy_by_time ON mcpproxy_records (ts);
CREATE INDEX mcpproxy_by_session ON mcpproxy_records (session, pos) WHERE session <> '';
CREATE INDEX mcpproxy_by_flow ON mcpproxy_records (flow, pos) WHERE flow <> '';
CREATE INDEX mcpproxy_by_request ON mcpproxy_records (request) WHERE request <> '';
CREATE INDEX mcpproxy_by_parent ON mcpproxy_records (parent) WHERE parent <> '';
CREATE INDEX mcpproxy_by_server ON mcpproxy_records (server, tool, pos) WHERE server <> '';
CREATE INDEX mcpproxy_by_principal ON mcpproxy_records (principal, pos) WHERE principal <> '';
CREATE INDEX mcpproxy_by_rule ON mcpproxy_records (rule, pos) WHERE rule <> '';
CREATE INDEX mcpproxy_by_status ON mcpproxy_records (status, pos) WHERE status <> 'success';
CREATE INDEX mcpproxy_by_type ON mcpproxy_records (type, pos) WHERE type <> 'tool_call';
CREATE INDEX mcpproxy_risky ON mcpproxy_records (pos) WHERE risk >= 2;
CREATE INDEX mcpproxy_sensitive ON mcpproxy_records (pos) WHERE sensitive;

-- mcpproxy_move moves the end of a chain. It fails unless the end is still the one that the writer
-- knows: two processes with one key would write two chains.
CREATE FUNCTION mcpproxy_move(who text, from_seq bigint, from_hash text, to_day date, to_seq bigint, to_id text,
	to_hash text, to_count bigint, to_time bigint, to_key text, to_signature bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE mcpproxy_heads SET day = to_day, seq = to_seq, id = to_id, hash = to_hash, count = to_count, time = to_time,
		key = to_key, signature = to_signature
	WHERE writer = who AND seq = from_seq AND hash = from_hash;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'the chain of gateway % has another end than record %', who, from_seq USING ERRCODE = 'MP001';
	END IF;
END
$$;
