-- The processes that deliver, by the id with which they lease lanes. They belong to no organization, for each delivers for all.
-- While a process lives, one session of it holds the shared advisory lock `hashtextextended(id::text, 0)`: where another session
-- can take that lock exclusively, the process has no session any more.
create table workers (
  id uuid primary key,
  registered_at timestamptz not null,
  -- When another process first found it without a session since then; null: none has. After five seconds it is dead.
  missing_since timestamptz
);

-- One lane for each webhook: claims take lanes in turn, so that no webhook waits behind another one's backlog. A lane says what
-- is known of its receiver, so that a claim reads nothing else. Lanes are locked in the order of their key, before deliveries.
create table lanes (
  org_id uuid not null,
  webhook_id uuid not null,
  next_due_at timestamptz not null default 'infinity',
  -- Deliveries in flight; changes only together with theirs.
  in_flight int not null default 0,
  -- How many may be in flight at once, requests and what waits for them in the worker: one, as long as the last request did not
  -- succeed.
  max_in_flight int not null default 1,
  -- Takes no more until it is half empty, so that claims are few and large.
  saturated boolean not null default false,
  -- The worker that has all that is in flight of the lane, so that it alone keeps the webhook's concurrency limit.
  leased_by uuid,
  -- Whether the receiver's last request succeeded, and its requests do not take long. The others share half of all requests.
  healthy boolean not null default false,
  -- Whether the receiver has failed for a minute. Such receivers are claimed apart, so that new ones, slow ones and those that
  -- failed just now do not wait behind them.
  failing boolean not null default false,
  -- The first failure since the last success.
  failing_since timestamptz,
  -- A receiver that failed is sent nothing before.
  cooldown_until timestamptz not null default '-infinity',
  -- Paused when not null: its deliveries are held.
  paused_reason text check (paused_reason in ('requested', 'failing')),
  -- Deliveries whose retry window opened before then get a new one.
  resumed_at timestamptz not null default '-infinity',
  primary key (org_id, webhook_id),
  foreign key (org_id, webhook_id) references webhooks (org_id, id) on delete cascade
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
-- Not partial by next_due_at: the planner cannot prove that `next_due_at <= now` excludes 'infinity'.
create index lanes_due on lanes (healthy, (failing and not healthy), next_due_at) where paused_reason is null;

-- The priority of an event in its lane: 0 first, 1 after all that are due. Page events have 1, because anybody may publish them
-- without a key. It is no boolean: a comparison with a constant boolean is simplified to one that the index cannot answer.
create function priority_in_lane(event_name text) returns int
  language sql immutable parallel safe
  return case when event_name = 'VirtualPageLoaded_v1' then 1 else 0 end;

-- The queue: deliveries that are not finished. It stays small whatever the history, so a claim costs the same on any day.
-- An event goes to a webhook once, so the event's id names the delivery within its webhook.
create table deliveries (
  org_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  trigger_name text not null,
  -- The trigger that it was made for: one that was removed and added again is another one.
  trigger_created_at timestamptz,
  is_leased boolean not null default false,
  -- It may be claimed from then on: when it is due, or, while it is leased, when its lease ends.
  available_at timestamptz not null,
  -- Names the lease; a settlement that comes late with another one changes nothing.
  lease_token uuid,
  -- Attempts made so far; and how many of them in the present retry window.
  attempts_count int not null default 0,
  window_attempts int not null default 0,
  -- The retry window opens with the first attempt: a delivery never attempted is never dropped.
  window_opened_at timestamptz,
  -- The earlier attempts, newest last.
  attempt_log jsonb not null default '[]',
  primary key (org_id, webhook_id, event_id)
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
-- A claim writes each delivery anew under the same key: where its page of the index has space for that, a claim takes a fifth
-- less of PostgreSQL's time (measured).
alter index deliveries_pkey set (fillfactor = 50);
create index deliveries_available on deliveries (org_id, webhook_id, priority_in_lane(trigger_name), available_at)
  where not is_leased;
create index deliveries_leased on deliveries (available_at) where is_leased;

-- The log: deliveries that are finished, by the day of their event. A run of a synchronous hook is logged here too; its run takes
-- the place of the event.
create table finished_deliveries (
  org_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  trigger_type text not null default 'event' check (trigger_type in ('event', 'sync_hook')),
  trigger_name text not null,
  status text not null check (status in ('succeeded', 'dropped', 'cancelled')),
  reason text,
  attempts_count int not null,
  attempt_log jsonb not null,
  -- Protected claims that the receiver of a hook gave; null when there were none.
  dropped_claims text[],
  finished_at timestamptz not null,
  primary key (org_id, webhook_id, event_id)
) partition by range (event_id);
-- The few that did not succeed, for whoever looks for them.
create index finished_deliveries_unsuccessful on finished_deliveries (org_id, webhook_id, status, event_id)
  where status <> 'succeeded';
-- For retention: what ended lately of events that are old.
create index finished_deliveries_unsuccessful_by_time on finished_deliveries (finished_at) where status <> 'succeeded';

-- How many deliveries ended in which state on which day (UTC), while their webhook was there.
create table delivery_counts (
  org_id uuid not null,
  webhook_id uuid not null,
  day date not null,
  status text not null check (status in ('succeeded', 'dropped', 'cancelled')),
  count bigint not null,
  primary key (org_id, webhook_id, day, status)
) with (fillfactor = 50);
create index delivery_counts_by_day on delivery_counts (day);
