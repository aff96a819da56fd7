-- Of a copy that was restored from a backup, webhooks are paused until somebody resumes them, and sync hooks are not called either,
-- also those of webhooks that had been paused before, which keep their reason.
alter table lanes
  add column is_restored boolean not null default false,
  drop constraint lanes_paused_reason_check,
  add constraint lanes_paused_reason_check check (paused_reason in ('requested', 'failing', 'restored')),
  add check (paused_reason is not null or not is_restored);
