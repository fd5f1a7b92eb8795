-- LZ4 compresses large records in a fraction of the time that PostgreSQL's own method takes. A server can be built
-- without it. Partitions that exist keep their method.
DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['body', 'arguments', 'response'] LOOP
		EXECUTE format('ALTER TABLE mcpproxy_records ALTER COLUMN %I SET COMPRESSION lz4', name);
	END LOOP;
EXCEPTION WHEN feature_not_supported THEN
	RAISE NOTICE 'this server has no LZ4';
END
$$;
