-- Since when a credential waits for an admin key to confirm it, and whose work that is: of a link, or of a key that is no admin key. Null
-- of one that is active, and of one that an admin key switched off. Where an older release wrote the row, `active` alone decides.
alter table oidc_credentials
  add column waits_since timestamptz,
  add column waits_for text check (waits_for in ('link', 'key')),
  add check ((waits_since is null) = (waits_for is null));
create index oidc_credentials_that_wait on oidc_credentials (org_id, waits_since) where waits_since is not null;
