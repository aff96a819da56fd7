-- One for each request of an application that needs a sign-in: from the first page until its final event is committed, and
-- until it expires, so that whoever comes back a second time is told.
create table flows (
  org_id uuid not null references organizations,
  id uuid not null,
  -- What the issuer keeps the application's request under. A person who goes back and chooses again stays in the same flow.
  interaction_uid text collate "C" not null,
  correlation_id uuid not null,
  client_address text not null,
  user_agent text not null,
  window_location text not null,
  -- The provider that was chosen last. No key: a credential that was deleted meanwhile ends the flow with its word.
  credential_id uuid,
  -- SHA-256 of the state that was sent to the provider, and of the secret in the browser's cookie.
  state_hash bytea,
  secret_hash bytea,
  -- Nonce, PKCE verifier and issuer, sealed under that secret, which is stored nowhere.
  expected bytea,
  -- The browser came back to us: from here on there is exactly one final event. Null: nobody has signed in yet.
  begun_at timestamptz,
  -- The callback was called; it is heard once.
  used_at timestamptz,
  -- The final event is committed.
  ended_at timestamptz,
  expires_at timestamptz not null,
  primary key (org_id, id)
);
create unique index flows_by_interaction on flows (org_id, interaction_uid);
-- A callback names no organization.
create unique index flows_by_state on flows (state_hash);
create index flows_by_expiry on flows (expires_at);

-- Whom a provider calls what. A person is found by this, never by an address.
create table identities (
  org_id uuid not null,
  id uuid not null,
  person_id uuid not null,
  provider text not null,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  -- The one that it was first seen with; it may be deleted since.
  credential_id uuid not null,
  -- As the provider told it last; not proven, and no handle.
  email text,
  created_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, person_id) references persons (org_id, id) on delete cascade
);
create unique index identities_by_subject on identities (org_id, provider, issuer, subject);
create index identities_by_person on identities (org_id, person_id);
