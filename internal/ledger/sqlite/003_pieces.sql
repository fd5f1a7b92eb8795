-- Records lie in pieces: some tens that follow each other in one row, so that a
-- record costs a part of a row, and no entry in any index. The three columns hold a
-- part for each record in the same order; pieces.go says how. No piece reaches from
-- one block into another.
CREATE TABLE pieces (
  first  INTEGER PRIMARY KEY,             -- seq of the first record
  prev   TEXT NOT NULL,                   -- hash before it
  rows   BLOB NOT NULL,                   -- what is searched
  bodies BLOB NOT NULL,                   -- what is hashed, and the hashes
  beside BLOB NOT NULL                    -- salts, arguments, responses
) STRICT;

-- What 512 records in a row are: the earliest and the latest time, the greatest id,
-- and how many are of which kind, as pairs of varints in the order of kinds, which
-- are differences. terms are hashes of what they have to themselves, in order, four
-- bytes each: of a block that is full, in a segment that is not.
DROP TABLE blocks;
CREATE TABLE blocks (
  block   INTEGER PRIMARY KEY,            -- seq / 512
  low     INTEGER NOT NULL,
  high    INTEGER NOT NULL,
  high_id TEXT    NOT NULL,
  counts  BLOB    NOT NULL,
  terms   BLOB
) STRICT;

-- The same of 64 blocks in a row, once they are full.
CREATE TABLE segments (
  segment INTEGER PRIMARY KEY,            -- block / 64
  low     INTEGER NOT NULL,
  high    INTEGER NOT NULL,
  high_id TEXT    NOT NULL,
  counts  BLOB    NOT NULL
) STRICT;

-- In which blocks of a segment a term is: three bytes of its hash and the block, six
-- bits, in order, four bytes each. The row is chosen by the hash's first byte.
CREATE TABLE terms (
  part    INTEGER PRIMARY KEY,            -- segment * 256 + first byte
  entries BLOB NOT NULL
) STRICT;

ALTER TABLE records RENAME TO old_records; -- they are moved by convert.go
ALTER TABLE bodies  RENAME TO old_bodies;
DROP INDEX records_kind;
DROP INDEX records_session;
DROP INDEX records_flow;
DROP INDEX records_request;
DROP INDEX records_parent;
