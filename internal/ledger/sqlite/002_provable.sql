-- What the chain hashes are digests of arguments and response; they lie beside
-- it with their salt, and can be taken away. Form 1 is that of the records that
-- are here already: their bodies are hashed as a whole.
ALTER TABLE bodies ADD COLUMN form      INTEGER NOT NULL DEFAULT 1;
ALTER TABLE bodies ADD COLUMN salt      BLOB;
ALTER TABLE bodies ADD COLUMN arguments BLOB;
ALTER TABLE bodies ADD COLUMN response  BLOB;
ALTER TABLE bodies ADD COLUMN proof     BLOB;

-- The head is signed with every transaction. count is of the records here.
ALTER TABLE head ADD COLUMN id        TEXT    NOT NULL DEFAULT '';
ALTER TABLE head ADD COLUMN count     INTEGER NOT NULL DEFAULT 0;
ALTER TABLE head ADD COLUMN time      INTEGER NOT NULL DEFAULT 0; -- microseconds since 1970, UTC
ALTER TABLE head ADD COLUMN key       TEXT    NOT NULL DEFAULT '';
ALTER TABLE head ADD COLUMN signature BLOB;

CREATE TABLE checkpoints (
  seq       INTEGER NOT NULL,
  reason    TEXT    NOT NULL,
  hash      TEXT    NOT NULL,
  id        TEXT    NOT NULL,
  count     INTEGER NOT NULL,
  time      INTEGER NOT NULL,
  key       TEXT    NOT NULL,
  signature BLOB,
  PRIMARY KEY (seq, reason, hash)
) STRICT;

-- What records have in common. There are few kinds, however many records: a
-- filter picks kinds, and the newest records of each are one step away.
CREATE TABLE kinds (
  kind       INTEGER PRIMARY KEY,
  type       TEXT    NOT NULL,
  principal  TEXT    NOT NULL,
  server     TEXT    NOT NULL,
  tool       TEXT    NOT NULL,
  status     TEXT    NOT NULL,
  decision   TEXT    NOT NULL,
  rule       TEXT    NOT NULL,
  risk       INTEGER NOT NULL,            -- rank of the level
  flow_type  TEXT    NOT NULL,
  sensitive  INTEGER NOT NULL,
  detections TEXT    NOT NULL,            -- ",type,type,"
  severity   INTEGER NOT NULL,            -- rank of the worst detection, -1 without
  records    INTEGER NOT NULL,            -- how many are of this kind
  last       INTEGER NOT NULL,            -- seq of the newest
  UNIQUE (type, principal, server, tool, status, decision, rule, risk, flow_type, sensitive, detections, severity)
) STRICT;

-- Names of sessions and flow sessions; scope 0 is none.
CREATE TABLE scopes (
  scope   INTEGER PRIMARY KEY,
  name    TEXT    NOT NULL UNIQUE,
  records INTEGER NOT NULL                -- in which it is the session or the flow session
) STRICT;

-- What 512 records in a row are: the earliest and the latest time, and how many
-- are of which kind, as pairs of varints in the order of kinds, which are differences.
CREATE TABLE blocks (
  block  INTEGER PRIMARY KEY,             -- seq / 512
  low    INTEGER NOT NULL,
  high   INTEGER NOT NULL,
  counts BLOB    NOT NULL
) STRICT;
CREATE INDEX blocks_time ON blocks (low, high); -- with block, and without counts

ALTER TABLE records RENAME TO old;
CREATE TABLE records (
  seq        INTEGER PRIMARY KEY,
  id         TEXT    NOT NULL UNIQUE,
  ts         INTEGER NOT NULL,            -- microseconds since 1970, UTC
  kind       INTEGER NOT NULL,
  session    INTEGER NOT NULL,
  flow       INTEGER NOT NULL,
  request_id TEXT    NOT NULL,
  parent_id  TEXT    NOT NULL
) STRICT;

CREATE TEMP VIEW wide AS
  SELECT old.seq, old.id, ts, type, server, tool, session, flow_session, request_id, parent_id, status, decision, risk,
    flow_type, sensitive, detections, severity, coalesce(doc ->> '$.rule', '') AS rule, coalesce(doc ->> '$.principal', '') AS principal
  FROM old LEFT JOIN (SELECT seq, iif(json_valid(CAST(body AS TEXT)), CAST(body AS TEXT), '{}') AS doc FROM bodies) USING (seq);

INSERT INTO kinds (type, principal, server, tool, status, decision, rule, risk, flow_type, sensitive, detections, severity, records, last)
  SELECT type, principal, server, tool, status, decision, rule, risk, flow_type, sensitive, detections, severity, count(*), max(seq)
  FROM wide GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12;

INSERT INTO scopes (name, records)
  SELECT name, count(DISTINCT seq) FROM (SELECT session AS name, seq FROM old UNION ALL SELECT flow_session, seq FROM old)
  WHERE name <> '' GROUP BY name;

INSERT INTO records (seq, id, ts, kind, session, flow, request_id, parent_id)
  SELECT w.seq, w.id, ts, kind, coalesce(s.scope, 0), coalesce(f.scope, 0), request_id, parent_id
  FROM wide AS w
  JOIN kinds USING (type, principal, server, tool, status, decision, rule, risk, flow_type, sensitive, detections, severity)
  LEFT JOIN scopes AS s ON s.name = w.session LEFT JOIN scopes AS f ON f.name = w.flow_session
  ORDER BY w.seq;

UPDATE head SET count = (SELECT count(*) FROM records), id = coalesce((SELECT id FROM records WHERE records.seq = head.seq), '');

DROP VIEW wide;
DROP TABLE old;
-- ts lies in the index so that times are looked at where the kinds are.
CREATE INDEX records_kind    ON records (kind, seq, ts);
CREATE INDEX records_session ON records (session, seq) WHERE session <> 0;
CREATE INDEX records_flow    ON records (flow, seq)    WHERE flow <> 0;
CREATE INDEX records_request ON records (request_id, seq) WHERE request_id <> '';
CREATE INDEX records_parent  ON records (parent_id, seq)  WHERE parent_id <> '';
