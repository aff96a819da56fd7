-- Partitioned by the day of the event's id: a UUIDv7 begins with its time.
create table events (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  -- The trigger content as it is signed: JSON text in the order of the contract.
  payload text not null,
  primary key (org_id, id)
) partition by range (id);

-- A token bucket for each organization, filled as time passes.
create table test_event_allowances (
  org_id uuid primary key references organizations,
  tokens double precision not null,
  refilled_at timestamptz not null
);
