-- What this installation is: exactly one row.
create table installation (
  only_row boolean primary key default true check (only_row),
  -- Part of every issuer, callback and receiver check; a start with another one is refused.
  base_url text not null,
  -- A known text encrypted with the master key; a start without a fitting key is refused.
  master_key_check bytea not null
);

create table organizations (
  id uuid primary key,
  name text not null,
  pricing_tier text not null,
  self_registration boolean not null default true,
  allowed_email_domains text[] not null default '{}',
  link_by_verified_email boolean not null default false,
  created_at timestamptz not null,
  -- Set when the organization is deleted: every call is refused from then on, and the rows are purged in batches.
  deleted_at timestamptz
);
create index organizations_deleted on organizations (deleted_at) where deleted_at is not null;

-- A revoked key is removed.
create table api_keys (
  org_id uuid not null references organizations,
  id uuid not null,
  name text,
  -- SHA-256 of the key; the key itself is stored nowhere.
  key_hash bytea not null,
  read_only boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  -- To the minute.
  last_used_at timestamptz,
  primary key (org_id, id)
);
create unique index api_keys_by_hash on api_keys (org_id, key_hash);
