-- Receivers that have failed for a while are claimed apart from those of which that is not known: new ones, slow ones, and
-- those that failed just now wait behind none of them.
alter table lanes add column failing boolean not null default false;
drop index lanes_due;
-- A process of an older version sets `healthy` alone. Made before the rows are changed: it can be used at once, whatever
-- transaction is open.
create index lanes_due on lanes (healthy, (failing and not healthy), next_due_at) where paused_reason is null;
update lanes set failing = true where failing_since < now() - interval '1 minute';
