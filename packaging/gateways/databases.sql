-- The first start of PostgreSQL makes the database of the gateways, and runs this file.
CREATE DATABASE hub OWNER mcpproxy;
