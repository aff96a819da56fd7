-- A delivery that is claimed on publish has no row in the queue unless it is to be repeated: the event says who has claimed it, and
-- its record in the log that it has ended. Null where nothing was claimed.
alter table events
  add column claimed_by uuid,
  add column claimed_for uuid[];

-- The first event of which a worker may be making such a delivery: by then all earlier ones are in the log or in the queue. What a
-- dead worker has left is looked for from there on.
create table unqueued_since (
  worker_id uuid primary key,
  event_id uuid not null,
  -- When the worker last said so: every two seconds while it is busy.
  seen_at timestamptz not null,
  is_busy boolean not null,
  -- Another worker has found it dead or frozen: it has no lanes any more, and claims nothing until it says so again.
  is_lost boolean not null default false
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);

-- What is in flight without a row in the queue. Each is looked up by a value: `not exists` becomes a join that reads the log.
create view unqueued_deliveries as
  select e.org_id, w.webhook_id, e.id as event_id, e.name as trigger_name, e.claimed_by
    from events e cross join lateral unnest(e.claimed_for) as w (webhook_id)
   where e.id >= (select event_id from unqueued_since order by event_id limit 1)
     and (select 1 from deliveries d where d.org_id = e.org_id and d.webhook_id = w.webhook_id and d.event_id = e.id) is null
     and (select 1 from finished_deliveries f where f.org_id = e.org_id and f.webhook_id = w.webhook_id and f.event_id = e.id) is null;

-- A worker has its lanes for as long as it uses them, and not only while it has something in flight.
update lanes set leased_by = null where in_flight = 0 and leased_by is not null;
