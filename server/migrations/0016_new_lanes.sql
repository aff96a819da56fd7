-- A webhook that was never called, of which nothing is known: it is claimed apart from those that are known to be slow or
-- to fail, so that it waits behind none of them.
alter table lanes add column is_new boolean not null default true;
update lanes set is_new = false where quick or room > 1 or failing_since is not null;
drop index lanes_due;
create index lanes_due on lanes (quick, is_new, next_due_at) where paused_reason is null;
