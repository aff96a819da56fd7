-- The time that a UUIDv7 begins with.
create function time_of(id uuid) returns timestamptz
  language sql immutable
  return to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0);
