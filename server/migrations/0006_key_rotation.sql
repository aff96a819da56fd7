-- An organization has one key that signs now and one next key, never two of either, whatever races.
create unique index signing_keys_current on signing_keys (org_id) where signs_from is not null and withdrawn_at is null;
create unique index signing_keys_next on signing_keys (org_id) where signs_from is null;
-- Rotation by age, and removal of what has left the set.
create index signing_keys_by_age on signing_keys (signs_from) where withdrawn_at is null;
create index signing_keys_withdrawn on signing_keys (withdrawn_at) where withdrawn_at is not null;
