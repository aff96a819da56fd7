create table oidc_credentials (
  org_id uuid not null references organizations,
  -- Also the last segment of its callback: each credential has one of its own.
  id uuid not null,
  client_id text collate "C" not null,
  provider text not null,
  -- Sealed with the master key.
  client_secret bytea not null,
  label text not null,
  external_cred_id text not null,
  -- Its own provider's, as given: what is absent has its default.
  options jsonb not null,
  -- Rises with each change, so that what was made of an earlier one is known to be old.
  version int not null default 1,
  primary key (org_id, id)
);
create unique index oidc_credentials_by_client_id on oidc_credentials (org_id, client_id);
