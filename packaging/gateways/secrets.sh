#!/bin/sh
# Writes new random secrets to the file .env beside this script. It does not replace the file: the database keeps the
# password of its first start.
set -eu
umask 077
cd "$(dirname "$0")"
if [ -e .env ]; then
  echo "$PWD/.env exists already" >&2
  exit 1
fi
for name in MCPPROXY_API_KEY STATE_KEY POSTGRES_PASSWORD VALKEY_PASSWORD; do
  value=$(od -An -vtx1 -N32 /dev/urandom | tr -d ' \n')
  [ ${#value} = 64 ]
  echo "$name=$value"
done >.env.new
mv .env.new .env
