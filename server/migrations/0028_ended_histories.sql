-- A new epoch writes down, as `restored_up_to` of the one before, the greatest position that it finds: a restore to an earlier state has
-- taken back what came later there, and a cursor beyond it names a history that this database does not have.
create or replace function enter_epoch() returns void language plpgsql volatile as $$
begin
  if exists (select from current_epoch) then return; end if;
  perform pg_advisory_xact_lock(hashtext('signet epoch'));
  if exists (select from current_epoch) then return; end if;
  update position_epochs set restored_up_to = least(restored_up_to, (select last_value from positions))
   where first_position = (select max(first_position) from position_epochs);
  insert into position_epochs (key, server_started_at, database_id, sequence_id, first_position)
    select gen_random_uuid(), server_started_at, database_id, sequence_id,
           setval('positions', (last_value / 4294967296 + 1) * 4294967296) from position_origin;
end $$;
