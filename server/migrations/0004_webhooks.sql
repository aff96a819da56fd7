create table webhooks (
  org_id uuid not null references organizations,
  id uuid not null,
  -- As given: stored, signed and shown unchanged.
  target_url text not null,
  -- The same after normalization, which decides uniqueness.
  target_key text collate "C" not null check (target_key <> ''),
  name text not null,
  description text not null,
  -- JSON, encrypted with the master key; null when there are none.
  custom_headers bytea,
  -- 0: the default of the trigger's type (6.2, rule 6).
  timeout_ms double precision not null,
  created_at timestamptz not null,
  primary key (org_id, id)
);
-- The condition holds for every row. It keeps this index out of look-ups by the primary key: where the statistics know of one
-- webhook an organization, both indexes promise one row, and this one would read every webhook of the organization.
create unique index webhooks_by_target on webhooks (org_id, target_key) where target_key <> '';

create table triggers (
  org_id uuid not null,
  webhook_id uuid not null,
  type text not null check (type in ('event', 'sync_hook')),
  name text not null,
  on_failure text not null check (on_failure in ('fail', 'continue')),
  created_at timestamptz not null,
  primary key (org_id, webhook_id, type, name),
  foreign key (org_id, webhook_id) references webhooks (org_id, id) on delete cascade
);
-- The name comes first for the same reason: of one organization, 20,000 triggers took 34 s to write with two indexes that began
-- with the organization, and 1 s with one (measured).
create index triggers_by_name on triggers (name, org_id, webhook_id);
