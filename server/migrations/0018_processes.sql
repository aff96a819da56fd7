-- The processes of the installation, for its operator to see. They belong to no organization. Nothing depends on these rows: by
-- `workers` processes know of each other's death.
create table processes (
  id uuid primary key,
  host text not null,
  pid int not null,
  region text not null,
  version text not null,
  roles text[] not null,
  started_at timestamptz not null,
  -- When it last renewed its row.
  seen_at timestamptz not null,
  deliveries_in_flight int not null,
  event_streams int not null
) with (fillfactor = 50);

-- By the beginning of their names, whatever their case.
create index organizations_by_name on organizations (lower(name) collate "C", id) where deleted_at is null;

-- The few that may not sign in, among many.
create index persons_inactive on persons (org_id, id) where not active;
