-- How attempts on each webhook ended, and how long they took, by the hour (UTC).
create table attempt_counts (
  org_id uuid not null,
  webhook_id uuid not null,
  hour timestamptz not null,
  trigger_type text collate "C" not null check (trigger_type in ('event', 'sync_hook')),
  -- Empty: it succeeded; else the word of its error, or its status.
  failure text collate "C" not null,
  -- Of the database: two that count together wait for no lock.
  session int not null,
  count bigint not null,
  -- How many took how long: twelve decimal digits for each step of duration, the shortest last. PostgreSQL stores no zeros at either
  -- end, and adds such numbers in C, in a third of the time that it takes for arrays.
  durations numeric not null,
  last_at timestamptz not null,
  primary key (org_id, webhook_id, hour, trigger_type, failure, session)
) with (fillfactor = 50);
create index attempt_counts_by_hour on attempt_counts (hour, org_id);

lock table lanes in access exclusive mode;

-- The event whose delivery is attempted next, though its webhook is paused or its receiver cools down; null: the ordinary order.
alter table lanes
  add column trying uuid,
  -- Since when it is paused; without a meaning where it is not, and null where an earlier version paused it.
  add column paused_at timestamptz;
create index lanes_trying on lanes (org_id, webhook_id) where trying is not null;

-- The list of webhooks in the order of their names.
create index webhooks_by_name on webhooks (org_id, lower(name) collate "C", id);
