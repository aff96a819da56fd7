-- The audit log by what was changed. Changes wait while it is built, some seconds for each million entries; an older process goes on.
create index audit_entries_by_target on audit_entries (org_id, target_id, action, position) with (fillfactor = 97);
