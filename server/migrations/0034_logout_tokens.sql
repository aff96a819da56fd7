-- In the order in which transactions lock them.
lock table webhooks in access exclusive mode;
lock table lanes in access exclusive mode;

-- A lane is that of a webhook, or of an application with an address for logout tokens, whose client id is its `webhook_id`. The lane of
-- an application is never paused for long: nobody could resume it.
alter table lanes
  drop constraint lanes_org_id_webhook_id_fkey,
  add column is_logout boolean not null default false,
  add check (not is_logout or (paused_reason is null or paused_reason = 'moving') and not is_restored);

-- As the foreign key did.
create function close_lane() returns trigger language plpgsql as $$
begin
  delete from lanes where org_id = old.org_id and webhook_id = old.id;
  return null;
end $$;
create trigger close_lane after delete on webhooks for each row execute function close_lane();

-- What is sent of a delivery that is of no event: of a logout token the claims `sub` and `sid`. It goes with its row into the log and back.
-- Null for an event, and then no byte more: both tables have rows with nulls in any case.
alter table deliveries add column content jsonb;
alter table finished_deliveries add column content jsonb;
