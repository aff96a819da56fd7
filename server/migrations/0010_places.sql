-- The order in which events and audit entries are read: each has a place, drawn from one sequence. Without a cache, because
-- sessions with places in advance would hand them out late.
create sequence places cache 1;

-- Each start of PostgreSQL begins an epoch, and each copy or restore of the database: its places are above all that could have been
-- seen before, so that what a standby or a copy never received is not handed out again.
create table place_epochs (
  -- In every cursor: shows that it comes from this database, and from which line of its history.
  key uuid primary key,
  -- Of the server that drew places in this epoch, and of the database and the sequence `places` there: a copy has another database,
  -- and a restore into the same database makes another sequence.
  server_started_at timestamptz not null,
  database_id oid not null,
  sequence_id oid not null,
  first_place bigint not null unique,
  -- Set by a restore: the last place of this epoch that the restored copy has. What came after it is a lost history.
  restored_up_to bigint,
  unique (server_started_at, database_id, sequence_id)
);

-- What an epoch that is entered now is known by.
create view place_origin as
  select pg_postmaster_start_time() as server_started_at, d.oid as database_id, s.tableoid as sequence_id, s.last_value
    from places s, pg_database d where d.datname = current_database();

-- Empty until it is entered.
create view current_epoch as
  select e.key from place_origin join place_epochs e using (server_started_at, database_id, sequence_id);

-- An epoch begins at a multiple of 2^32, so that 2 million starts fit the integers that JavaScript counts exactly.
create function enter_epoch() returns void language plpgsql volatile as $$
begin
  if exists (select from current_epoch) then return; end if;
  perform pg_advisory_xact_lock(hashtext('signet epoch'));
  if exists (select from current_epoch) then return; end if;
  insert into place_epochs (key, server_started_at, database_id, sequence_id, first_place)
    select gen_random_uuid(), server_started_at, database_id, sequence_id,
           setval('places', (last_value / 4294967296 + 1) * 4294967296) from place_origin;
end $$;

-- For the statements of this release, which enter it in a transaction of its own and are repeated: entered in theirs, all others
-- would wait until it ends.
create function refuse_place() returns bigint language plpgsql volatile as $$
begin
  raise exception 'no epoch is entered since PostgreSQL started, or since the database was copied or restored' using errcode = 'SG001';
end $$;

-- The lock says, until the end of the transaction, that places above its key may have been drawn. Its key (2^62 and more) is in
-- a space of its own, and must be read before the place is drawn. Like the lock, the setting goes with a savepoint that is rolled
-- back; without it, each of many rows would take a lock.
create function next_place() returns bigint language plpgsql volatile as $$
begin
  if current_setting('signet.holds_places', true) is distinct from 'yes' then
    perform pg_advisory_xact_lock_shared(4611686018427387904 + last_value) from places;
    perform set_config('signet.holds_places', 'yes', true);
    perform enter_epoch();
  end if;
  return nextval('places');
end $$;

-- The locks of transactions that have drawn a place and are still open: it is above `place`.
create view place_locks as
  select pid, virtualtransaction, (classid::bigint << 32 | objid::bigint) - 4611686018427387904 as place from pg_locks
   where locktype = 'advisory' and objsubid = 1 and classid::bigint between 1073741824 and 1075838975
     and database = (select oid from pg_database where datname = current_database());

-- How far readers may read: no transaction that is still open has drawn a place up to here. `last_value` must be read before
-- the locks, and rows only in a later statement: PostgreSQL makes a commit visible before it releases locks.
create function places_end() returns bigint language plpgsql volatile as $$
declare
  high bigint;
  held bigint;
begin
  high := (select last_value from places);
  held := (select min(place) from place_locks);
  return least(high, held);
end $$;

-- Null: from before there were places. The default serves the processes of an earlier release, which insert without a place.
alter table events add column place bigint;
alter table events alter column place set default next_place();
create index events_place on events (org_id, place) where place is not null;

-- By organization the place of the newest event that retention has dropped.
create table event_floors (
  org_id uuid primary key,
  place bigint not null
);
