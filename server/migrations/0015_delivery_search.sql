-- For the deliveries of all webhooks, the newest event first: few statuses and names, so that a search for any of them, or for all,
-- merges a few ranges of the index.
create index finished_deliveries_search on finished_deliveries (org_id, status, trigger_name, event_id, webhook_id);

-- How many events of each name an organization had in each minute, by their ids, and how sign-ins ended. Counted after the
-- publication, which so costs nothing more.
create table event_counts (
  org_id uuid not null,
  minute timestamptz not null,
  name text collate "C" not null,
  -- Of a sign-in: `succeeded`, or why it failed, and by which method. Empty for other events, and for test events.
  outcome text collate "C" not null,
  method text collate "C" not null,
  count bigint not null,
  primary key (org_id, minute, name, outcome, method)
) with (fillfactor = 50);
create index event_counts_by_minute on event_counts (minute);

-- How far the events of an organization are counted: the place of the last one.
create table event_count_places (
  org_id uuid primary key,
  place bigint not null
) with (fillfactor = 50);

-- How many deliveries of an organization ended in which state in each minute. Each session of the database has rows of its own,
-- so that no worker waits for another one.
create table delivery_minute_counts (
  org_id uuid not null,
  minute timestamptz not null,
  status text collate "C" not null check (status in ('succeeded', 'dropped', 'cancelled')),
  session int not null,
  count bigint not null,
  primary key (org_id, minute, status, session)
) with (fillfactor = 50);
create index delivery_minute_counts_by_minute on delivery_minute_counts (minute);
