-- Dry runs are counted like test events. Goes with its organization, also where an earlier version removes that, which does
-- not know this table.
create table dry_run_allowances (
  org_id uuid primary key references organizations on delete cascade,
  tokens double precision not null,
  refilled_at timestamptz not null
);

create function tokens_at(a dry_run_allowances, moment timestamptz, per_second float8, burst float8) returns float8
  language sql stable
  return tokens_at(row(a.org_id, a.tokens, a.refilled_at)::test_event_allowances, moment, per_second, burst);
