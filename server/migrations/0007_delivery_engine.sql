-- breaking
-- Lanes say what is known of a receiver, so that a claim needs nothing else.
drop index lanes_due;
alter table lanes
  drop column failing,
  -- Whether the receiver's last call succeeded, and its calls do not take long. The others share half of all calls.
  add column healthy boolean not null default false,
  -- How many deliveries may be in flight at once, calls and what waits for them in the worker: one, as long as the last
  -- call did not succeed.
  add column max_in_flight int not null default 1,
  -- Takes no more until it is half empty, so that claims are few and large.
  add column saturated boolean not null default false,
  -- The worker that has all that is in flight of it: the cap on a webhook's calls is kept there, whatever others run.
  add column leased_by uuid,
  -- A receiver that failed is not called before.
  add column cooldown_until timestamptz not null default '-infinity',
  -- The first failure since its last success.
  add column failing_since timestamptz,
  -- Paused when not null: its deliveries are held.
  add column paused_reason text check (paused_reason in ('requested', 'failing')),
  -- Deliveries whose retry window opened before then get a new one.
  add column resumed_at timestamptz not null default '-infinity';
-- Not partial by next_due_at: the planner cannot prove that `next_due_at <= now` excludes 'infinity'.
create index lanes_due on lanes (healthy, next_due_at) where paused_reason is null;

-- The trigger that it was made for: one that was removed and added again is another one.
alter table deliveries add column trigger_created_at timestamptz;

-- How many deliveries ended in which state on which day (UTC), written by whatever ends them while their webhook
-- is there.
create table delivery_counts (
  org_id uuid not null,
  webhook_id uuid not null,
  day date not null,
  status text not null check (status in ('succeeded', 'dropped', 'cancelled')),
  count bigint not null,
  primary key (org_id, webhook_id, day, status)
) with (fillfactor = 50);
create index delivery_counts_by_day on delivery_counts (day);

-- The few that did not succeed, for whoever looks for them.
create index finished_deliveries_unsuccessful on finished_deliveries (org_id, webhook_id, status, event_id)
  where status <> 'succeeded';

-- For retention: what ended lately of events that are old.
create index finished_deliveries_unsuccessful_by_time on finished_deliveries (finished_at) where status <> 'succeeded';

-- What an allowance holds by then: it fills by so many a second, up to its burst.
create function tokens_at(a test_event_allowances, moment timestamptz, per_second float8, burst float8) returns float8
  language sql stable
  return least(burst, a.tokens + greatest(0, extract(epoch from moment - a.refilled_at)) * per_second);
