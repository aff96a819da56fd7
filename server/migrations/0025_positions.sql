-- breaking
-- What the field calls a position was called a place. Only names change.
alter sequence places rename to positions;

alter table place_epochs rename to position_epochs;
alter table position_epochs rename column first_place to first_position;
alter table position_epochs rename constraint place_epochs_pkey to position_epochs_pkey;
alter table position_epochs rename constraint place_epochs_first_place_key to position_epochs_first_position_key;
alter table position_epochs
  rename constraint place_epochs_server_started_at_database_id_sequence_id_key to position_epochs_origin;

alter table moved_places rename to moved_positions;
alter table moved_positions rename constraint moved_places_pkey to moved_positions_pkey;
alter table moved_positions rename constraint moved_places_org_id_fkey to moved_positions_org_id_fkey;

-- By organization the position of the newest event that retention has dropped: nothing can be read from there or before.
alter table event_floors rename to event_low_watermarks;
alter table event_low_watermarks rename column place to position;
alter table event_low_watermarks rename constraint event_floors_pkey to event_low_watermarks_pkey;

alter table event_count_places rename to event_count_positions;
alter table event_count_positions rename column place to position;
alter table event_count_positions rename constraint event_count_places_pkey to event_count_positions_pkey;

alter table audit_entries rename column place to position;
alter table events alter column place drop default;
alter table events rename column place to position;
alter index events_place rename to events_position;

drop function next_place();
drop function places_end();
drop function refuse_place();
drop function enter_epoch();
drop view place_locks;
drop view current_epoch;
drop view place_origin;

-- What an epoch that is entered now is known by.
create view position_origin as
  select pg_postmaster_start_time() as server_started_at, d.oid as database_id, s.tableoid as sequence_id, s.last_value
    from positions s, pg_database d where d.datname = current_database();

-- Empty until it is entered.
create view current_epoch as
  select e.key from position_origin join position_epochs e using (server_started_at, database_id, sequence_id);

-- An epoch begins at a multiple of 2^32, so that 2 million starts fit the integers that JavaScript counts exactly.
create function enter_epoch() returns void language plpgsql volatile as $$
begin
  if exists (select from current_epoch) then return; end if;
  perform pg_advisory_xact_lock(hashtext('signet epoch'));
  if exists (select from current_epoch) then return; end if;
  insert into position_epochs (key, server_started_at, database_id, sequence_id, first_position)
    select gen_random_uuid(), server_started_at, database_id, sequence_id,
           setval('positions', (last_value / 4294967296 + 1) * 4294967296) from position_origin;
end $$;

-- For statements that enter it in a transaction of its own and are repeated: entered in theirs, all others would wait until it ends.
create function refuse_position() returns bigint language plpgsql volatile as $$
begin
  raise exception 'no epoch is entered since PostgreSQL started, or since the database was copied or restored' using errcode = 'SG001';
end $$;

-- The locks of transactions that have drawn a position and are still open: it is above `position`.
create view position_locks as
  select pid, virtualtransaction, (classid::bigint << 32 | objid::bigint) - 4611686018427387904 as position from pg_locks
   where locktype = 'advisory' and objsubid = 1 and classid::bigint between 1073741824 and 1075838975
     and database = (select oid from pg_database where datname = current_database());

-- How far readers may read: no transaction that is still open has drawn a position up to here. `last_value` must be read before
-- the locks, and rows only in a later statement: PostgreSQL makes a commit visible before it releases locks.
create function positions_end() returns bigint language plpgsql volatile as $$
declare
  high bigint;
  held bigint;
begin
  high := (select last_value from positions);
  held := (select min(position) from position_locks);
  return least(high, held);
end $$;
