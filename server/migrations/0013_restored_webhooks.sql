-- Of a copy that was restored from a backup, webhooks are paused until somebody resumes them.
alter table lanes
  drop constraint lanes_paused_reason_check,
  add constraint lanes_paused_reason_check check (paused_reason in ('requested', 'failing', 'restored'));
