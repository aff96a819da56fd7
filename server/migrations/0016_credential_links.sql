-- Nobody signs in with an inactive credential. One that was made through a link is inactive until an admin key confirms it.
alter table oidc_credentials add column active boolean not null default true;

-- Links through which the administrator of a customer creates one credential. One that was used is gone.
create table credential_links (
  -- Goes with it, also where an earlier version removes it, which does not know this table.
  org_id uuid not null references organizations on delete cascade,
  -- The credential gets it, so that its callback is known before.
  id uuid not null,
  -- SHA-256 of the token; the token itself is stored nowhere.
  token_hash bytea not null,
  provider text not null,
  label text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (org_id, id)
);
create unique index credential_links_by_token on credential_links (org_id, token_hash);
create index credential_links_by_expiry on credential_links (expires_at);
