-- The queue: deliveries that are not finished. Small whatever the history, so the claim costs the same on any day.
-- One event goes to one webhook once, so the event's id names the delivery within its webhook.
create table deliveries (
  org_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  trigger_name text not null,
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
  -- What became of the earlier attempts, newest last.
  attempt_log jsonb not null default '[]',
  primary key (org_id, webhook_id, event_id)
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index deliveries_available on deliveries (org_id, webhook_id, available_at) where not is_leased;
create index deliveries_leased on deliveries (available_at) where is_leased;

-- The log: deliveries that are finished, by the day of their event.
create table finished_deliveries (
  org_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  trigger_name text not null,
  status text not null check (status in ('succeeded', 'dropped', 'cancelled')),
  reason text,
  attempts_count int not null,
  attempt_log jsonb not null,
  finished_at timestamptz not null,
  primary key (org_id, webhook_id, event_id)
) partition by range (event_id);

-- One lane for each webhook: claims take lanes in turn, so that no webhook waits behind another one's backlog.
-- Lanes are locked in the order of their key, before deliveries, and never by a transaction that writes an event.
create table lanes (
  org_id uuid not null,
  webhook_id uuid not null,
  -- Deliveries in flight; changes only together with theirs.
  in_flight int not null default 0,
  -- A receiver whose last call failed gets one call at a time.
  failing boolean not null default false,
  next_due_at timestamptz not null default 'infinity',
  primary key (org_id, webhook_id),
  foreign key (org_id, webhook_id) references webhooks (org_id, id) on delete cascade
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
-- Not partial: the planner cannot prove that `next_due_at <= now` excludes 'infinity'.
create index lanes_due on lanes (next_due_at);
