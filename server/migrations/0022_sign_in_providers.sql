-- Before events, as by every transaction that writes both; and as the reference to it needs.
lock table organizations in share row exclusive mode;

-- Of a sign-in: the provider that was chosen for it, which the contract of the payload has no field for. Null: none, or another event.
alter table events add column provider text;

-- How many of the sign-ins in `event_counts` were by which provider. Beside that table and not in its key, by which processes of an
-- earlier release count; what they count has no provider.
-- Goes with its organization, also where an earlier version removes that, which does not know this table.
create table provider_counts (
  org_id uuid not null references organizations on delete cascade,
  minute timestamptz not null,
  outcome text collate "C" not null,
  method text collate "C" not null,
  provider text collate "C" not null,
  count bigint not null,
  primary key (org_id, minute, outcome, method, provider)
) with (fillfactor = 50);
