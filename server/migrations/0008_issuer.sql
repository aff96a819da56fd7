-- The keys that an issuer signs ID tokens with: of each algorithm one that signs now and one next, as in signing_keys.
create table issuer_keys (
  org_id uuid not null references organizations,
  kid text not null,
  alg text not null check (alg in ('RS256', 'ES256')),
  -- PKCS #8, encrypted with the master key.
  private_key bytea not null,
  published_at timestamptz not null,
  -- Null: the next key, published so that applications know it before it signs.
  signs_from timestamptz,
  -- Null: published for as long as it signs. Else the time at which it leaves the set.
  withdrawn_at timestamptz,
  primary key (org_id, kid)
);
create unique index issuer_keys_current on issuer_keys (org_id, alg) where signs_from is not null and withdrawn_at is null;
create unique index issuer_keys_next on issuer_keys (org_id, alg) where signs_from is null;
create index issuer_keys_by_age on issuer_keys (signs_from) where withdrawn_at is null;
create index issuer_keys_withdrawn on issuer_keys (withdrawn_at) where withdrawn_at is not null;

-- Requests of applications that wait for a person to sign in. Payloads, here and below, are the OpenID library's own.
create table issuer_interactions (
  org_id uuid not null references organizations,
  uid text collate "C" not null,
  payload json not null,
  -- The Referer of the request.
  window_location text not null,
  -- How the sign-in ended; used once, with the row.
  result json,
  -- Whose sign-in the result is: it is deleted with the sessions of that person.
  person_id uuid,
  expires_at timestamptz not null,
  primary key (org_id, uid),
  foreign key (org_id, person_id) references persons (org_id, id) on delete cascade
);
create index issuer_interactions_by_person on issuer_interactions (org_id, person_id) where person_id is not null;
create index issuer_interactions_by_expiry on issuer_interactions (expires_at);

create table issuer_sessions (
  org_id uuid not null,
  uid text collate "C" not null,
  -- SHA-256 of the value in the browser's cookie, which changes with each sign-in.
  id_hash bytea not null,
  person_id uuid not null,
  -- The credential that the person signed in with. No foreign key, for it may be deleted since.
  credential_id uuid not null,
  authentications json not null,
  payload json not null,
  expires_at timestamptz not null,
  primary key (org_id, uid),
  foreign key (org_id, person_id) references persons (org_id, id) on delete cascade
);
create unique index issuer_sessions_by_id on issuer_sessions (org_id, id_hash);
create index issuer_sessions_by_person on issuer_sessions (org_id, person_id);
create index issuer_sessions_by_expiry on issuer_sessions (expires_at);

-- One for each sign-in at an application.
create table issuer_grants (
  org_id uuid not null,
  id text collate "C" not null,
  person_id uuid not null,
  -- Null: it outlives the session (offline_access).
  session_uid text collate "C",
  payload json not null,
  -- What its tokens say besides what is read anew: the claims of hooks, and how the person signed in.
  claims json not null,
  authenticated_methods text[] not null,
  expires_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, person_id) references persons (org_id, id) on delete cascade,
  foreign key (org_id, session_uid) references issuer_sessions (org_id, uid) on delete cascade
);
create index issuer_grants_by_person on issuer_grants (org_id, person_id);
create index issuer_grants_by_session on issuer_grants (org_id, session_uid) where session_uid is not null;
create index issuer_grants_by_expiry on issuer_grants (expires_at);

create table issuer_tokens (
  org_id uuid not null,
  -- SHA-256 of the code or token; its value is stored nowhere.
  id_hash bytea not null,
  kind text not null check (kind in ('AuthorizationCode', 'AccessToken', 'RefreshToken')),
  grant_id text collate "C" not null,
  payload json not null,
  -- When a code or refresh token was first used: used again, it ends its grant, save within the grace of its application.
  consumed_at timestamptz,
  -- How many times a refresh token was used.
  uses smallint not null default 0,
  expires_at timestamptz not null,
  primary key (org_id, id_hash),
  foreign key (org_id, grant_id) references issuer_grants (org_id, id) on delete cascade
);
create index issuer_tokens_by_grant on issuer_tokens (org_id, grant_id);
create index issuer_tokens_by_expiry on issuer_tokens (expires_at);
