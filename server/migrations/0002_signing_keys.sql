-- The keys that webhooks are signed with.
create table signing_keys (
  org_id uuid not null references organizations,
  kid text not null,
  public_jwk text not null,
  -- PKCS #8, encrypted with the master key.
  private_key bytea not null,
  published_at timestamptz not null,
  -- Null: the next key, published so that receivers know it before it signs.
  signs_from timestamptz,
  -- Null: in the published set for as long as it signs. Else the time at which it leaves the set.
  withdrawn_at timestamptz,
  primary key (org_id, kid)
);
-- An organization has one key that signs now and one next key, never two of either, whatever races.
create unique index signing_keys_current on signing_keys (org_id) where signs_from is not null and withdrawn_at is null;
create unique index signing_keys_next on signing_keys (org_id) where signs_from is null;
-- For the rotation by age, and for the removal of keys that have left the set.
create index signing_keys_by_age on signing_keys (signs_from) where withdrawn_at is null;
create index signing_keys_withdrawn on signing_keys (withdrawn_at) where withdrawn_at is not null;
