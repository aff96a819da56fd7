-- A sign-in by which an administrator tries a credential. It is kept for fifteen minutes, and then for as long after its end.
create table test_sign_ins (
  -- Goes with it, also where an earlier version removes it, which does not know this table.
  org_id uuid not null references organizations on delete cascade,
  -- Also that of its flow, from when a browser opens its link.
  id uuid not null,
  -- Only this key is shown the claims.
  key_id uuid not null,
  credential_id uuid not null,
  -- SHA-256 of the secret in its link.
  link_hash bytea not null,
  -- The link works once.
  opened_at timestamptz,
  ended_at timestamptz,
  steps json not null,
  -- How the provider identified the person, until it was shown.
  claims json,
  expires_at timestamptz not null,
  primary key (org_id, id)
);
create unique index test_sign_ins_by_link on test_sign_ins (org_id, link_hash);
create index test_sign_ins_by_expiry on test_sign_ins (expires_at);

-- The flow of a test has no interaction, so there is no application that could get a result.
alter table flows alter column interaction_uid drop not null;
