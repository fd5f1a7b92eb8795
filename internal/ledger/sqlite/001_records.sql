-- Narrow rows for filtering; the record itself is in bodies.
CREATE TABLE records (
  seq           INTEGER PRIMARY KEY,
  id            TEXT    NOT NULL UNIQUE,
  ts            INTEGER NOT NULL,            -- microseconds since 1970, UTC
  type          TEXT    NOT NULL,
  server        TEXT    NOT NULL,
  tool          TEXT    NOT NULL,
  session       TEXT    NOT NULL,
  flow_session  TEXT    NOT NULL,
  request_id    TEXT    NOT NULL,
  parent_id     TEXT    NOT NULL,
  status        TEXT    NOT NULL,
  decision      TEXT    NOT NULL,
  risk          INTEGER NOT NULL,            -- rank of the level
  flow_type     TEXT    NOT NULL,
  sensitive     INTEGER NOT NULL,
  detections    TEXT    NOT NULL,            -- ",type,type,"
  severity      INTEGER NOT NULL             -- rank of the worst detection, -1 without
) STRICT;

CREATE INDEX records_ts      ON records (ts);
CREATE INDEX records_type    ON records (type, seq);
CREATE INDEX records_server  ON records (server, tool, seq);
CREATE INDEX records_session ON records (session, seq);
CREATE INDEX records_flow    ON records (flow_session, seq);
CREATE INDEX records_status  ON records (status, seq);
CREATE INDEX records_risk    ON records (risk, seq);

-- What the chain is made of: body is hashed as it stands here.
CREATE TABLE bodies (
  seq  INTEGER PRIMARY KEY,
  body BLOB NOT NULL,
  prev TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;

-- Where the chain ends, so that records cut off its end are missed.
CREATE TABLE head (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  seq  INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
