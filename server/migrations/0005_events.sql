-- Partitioned by the day of the event's id: a UUIDv7 begins with its time.
create table events (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  -- The trigger content as it is signed: JSON text in the order of the contract.
  payload text not null,
  primary key (org_id, id)
) partition by range (id);

-- The time that a UUIDv7 begins with.
create function time_of(id uuid) returns timestamptz
  language sql immutable
  return to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0);

-- A token bucket for each organization, filled as time passes.
create table test_event_allowances (
  org_id uuid primary key references organizations,
  tokens double precision not null,
  refilled_at timestamptz not null
);

-- The tokens of a bucket at a moment: it fills by so many a second, up to its burst.
create function tokens_at(a test_event_allowances, moment timestamptz, per_second float8, burst float8) returns float8
  language sql stable
  return least(burst, a.tokens + greatest(0, extract(epoch from moment - a.refilled_at)) * per_second);
