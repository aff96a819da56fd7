-- Who changed what: an entry for each management write, in the transaction of the write. Not partitioned: with 400 days of entries a
-- page would open every partition, and old entries are few enough to be deleted in batches.
create table audit_entries (
  org_id uuid not null,
  -- Its place in the order of commits, as of events.
  place bigint not null,
  id uuid not null,
  at timestamptz not null,
  actor_type text not null check (actor_type in ('key', 'operator', 'console', 'link')),
  -- Of a key: its id, and its name at that time, which outlive it. Null for the operator.
  actor_id uuid,
  actor_name text,
  -- The id of the operation.
  action text collate "C" not null,
  target_type text not null,
  target_id text not null,
  -- The thing as the interface shows it, without secrets and handles.
  before json,
  after json,
  request_id text,
  client_ip_address text,
  primary key (org_id, place)
);
create index audit_entries_by_action on audit_entries (org_id, action, place);
create index audit_entries_by_actor on audit_entries (org_id, actor_id, place) where actor_id is not null;
create index audit_entries_by_actor_and_action on audit_entries (org_id, actor_id, action, place) where actor_id is not null;
-- Nearly all are of keys.
create index audit_entries_by_actor_type on audit_entries (org_id, actor_type, action, place) where actor_type <> 'key';
create index audit_entries_by_time on audit_entries (org_id, at);
