-- The audit log by the month of its entries, so that old ones go as whole partitions, with three indexes in place of six. The entries
-- are copied: half a minute for each million on two busy cores, in which changes wait, and as much disk again until the commit.
-- An older process goes on writing and reading: the columns are the same.
lock table audit_entries in access exclusive mode;
alter table audit_entries rename to audit_entries_unpartitioned;

-- No key: PostgreSQL would want the time in it, so that it would guard nothing, and each entry would store its time twice.
create table audit_entries (
  org_id uuid not null,
  -- Its position in the order of commits, as of events.
  position bigint not null,
  id uuid not null,
  at timestamptz not null,
  actor_type text collate "C" not null check (actor_type in ('key', 'operator', 'console', 'link')),
  -- Of a key: its id, and its name at that time, which outlive it. Null for the operator.
  actor_id uuid,
  actor_name text,
  -- The id of the operation.
  action text collate "C" not null,
  target_type text not null,
  target_id text not null,
  -- The thing as the interface shows it, without secrets and handles. A member that is null is what `target_id` says.
  before json,
  after json,
  request_id text,
  client_ip_address text
) partition by range (at);

-- Those ahead are for older processes, which make none.
do $$
declare
  month timestamp;
begin
  for month in
    select date_trunc('month', at at time zone 'UTC') from audit_entries_unpartitioned
    union
    select date_trunc('month', now() at time zone 'UTC') + make_interval(months => n) from generate_series(-1, 2) n
  loop
    execute format(
      'create table audit_entries_%s partition of audit_entries for values from (%L) to (%L)',
      to_char(month, 'YYYYMM'), month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
  end loop;
end $$;
insert into audit_entries select * from audit_entries_unpartitioned order by position;
drop table audit_entries_unpartitioned;

-- Rows are added at the end of their ranges and never changed, so that pages can be fuller than the usual 90 percent.
create index audit_entries_by_position on audit_entries (org_id, position) with (fillfactor = 97);
create index audit_entries_by_actor on audit_entries (org_id, actor_id, action, position) with (fillfactor = 97)
  where actor_id is not null;
create index audit_entries_by_actor_type on audit_entries (org_id, actor_type, action, position) with (fillfactor = 97);
create trigger refuse_while_moving before insert on audit_entries for each row execute function refuse_while_moving();

-- The position of an entry that is, with all before it, earlier than `moment`, as far as positions follow times: bisected by some
-- fifty probes of the index, for the times of entries need none of their own then. 0: there is none.
create function last_entry_before(organization uuid, moment timestamptz) returns bigint language plpgsql stable as $$
declare
  low bigint := 0;
  high bigint := 1 + coalesce((select max(position) from audit_entries where org_id = organization), 0);
  middle bigint;
  entry record;
begin
  while high - low > 1 loop
    middle := low + (high - low) / 2;
    select e.position, e.at into entry from audit_entries e
     where e.org_id = organization and e.position >= middle and e.position < high order by e.position limit 1;
    if entry.at < moment then low := entry.position; else high := middle; end if;
  end loop;
  return low;
end $$;
