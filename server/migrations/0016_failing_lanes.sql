-- Receivers that have failed for a while are claimed apart from those of which that is not known: new ones, slow ones, and
-- those that failed just now wait behind none of them.
alter table lanes add column failing boolean not null default false;
update lanes set failing = failing_since < now() - interval '1 minute' where failing_since is not null;
drop index lanes_due;
create index lanes_due on lanes (quick, failing, next_due_at) where paused_reason is null;
