-- How a session is told to people: where it began and when it was used last. An earlier release leaves the defaults.
alter table issuer_sessions
  -- The identity that the person signed in with. No foreign key, here and below: what ends with the identity is found by its person, and
  -- a sign-in pays for no check and no index. Null: of an earlier release.
  add column identity_id uuid,
  add column created_at timestamptz not null default now(),
  -- To the statement that wrote the session last: a sign-in with it.
  add column last_used_at timestamptz not null default now(),
  add column client_ip_address text not null default '',
  add column user_agent text not null default '';

alter table issuer_grants
  add column identity_id uuid,
  -- May be deleted since, as that of a session.
  add column credential_id uuid,
  -- When the person authenticated at the provider.
  add column authenticated_at timestamptz,
  -- Names the session to its application: one for each session and application, the same in all ID tokens.
  add column sid text collate "C";

-- Credentials whose sessions and grants have ended: those for which the person authenticated by then. They may be many, so this row refuses them
-- at once, and they are removed and their applications told in batches. It stays for as long as a sign-in that began before may take.
create table ended_credentials (
  -- Goes with it, also where an earlier version removes that, which does not know this table.
  org_id uuid not null references organizations on delete cascade,
  credential_id uuid not null,
  ended_at timestamptz not null,
  primary key (org_id, credential_id)
);
