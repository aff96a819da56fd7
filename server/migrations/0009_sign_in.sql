-- One for each request of an application that needs a sign-in: from the first page until its final event is committed, and
-- until it expires, so that whoever comes back a second time learns that it is over.
create table flows (
  org_id uuid not null references organizations,
  id uuid not null,
  -- The issuer's interaction. A person who goes back and chooses again stays in the same flow.
  interaction_uid text collate "C" not null,
  correlation_id uuid not null,
  client_address text not null,
  user_agent text not null,
  window_location text not null,
  -- The credential that was chosen last. No foreign key: one that was deleted meanwhile ends the flow with its failure code.
  credential_id uuid,
  -- SHA-256 of the state that was sent to the provider, and of the secret in the browser's cookie.
  state_hash bytea,
  secret_hash bytea,
  -- Nonce, PKCE verifier and issuer, encrypted under that secret, which is stored nowhere.
  expected bytea,
  -- When the browser came back to us: from then on there is exactly one final event. Null: nobody has signed in yet.
  begun_at timestamptz,
  -- When the callback was called, which takes effect once.
  consumed_at timestamptz,
  -- When the final event was committed.
  ended_at timestamptz,
  expires_at timestamptz not null,
  primary key (org_id, id)
);
create unique index flows_by_interaction on flows (org_id, interaction_uid);
create unique index flows_by_state on flows (org_id, state_hash) where state_hash is not null;
-- Planned as though all flows were of one organization: where the statistics know of one flow each, every key promises one row, and
-- by the wrong one 20,000 flows of an organization were read to find one (measured).
alter table flows alter column org_id set (n_distinct = 1);
create index flows_by_expiry on flows (expires_at);

-- How a provider names a person. A person is found by this, never by an address. A person has one identity at an issuer.
create table identities (
  org_id uuid not null,
  id uuid not null,
  person_id uuid not null,
  provider text not null,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  -- The credential that it was first seen with; it may be deleted since.
  credential_id uuid not null,
  -- As the provider told it last; not proven, and no handle.
  email text,
  created_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, person_id) references persons (org_id, id) on delete cascade
);
create unique index identities_by_subject on identities (org_id, provider, issuer, subject);
create unique index identities_by_person on identities (org_id, person_id, issuer);

-- Identities that were taken away from a person, who may have been deleted since. Of the subject only SHA-256 is kept.
create table former_identities (
  org_id uuid not null references organizations,
  person_id uuid not null,
  provider text not null,
  issuer text collate "C" not null,
  subject_hash bytea not null,
  primary key (org_id, provider, issuer, subject_hash, person_id)
);
create index former_identities_by_person on former_identities (org_id, person_id, issuer);
