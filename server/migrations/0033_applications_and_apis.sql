alter table applications
  -- Whether a sign-in without PKCE must send a nonce.
  add column require_nonce boolean not null default true,
  -- The application's own page.
  add column home_url text,
  -- The identifiers of resources whose tokens it may introspect.
  add column introspects text[] not null default '{}',
  add column backchannel_logout_uri text,
  add column backchannel_logout_session_required boolean not null default true,
  add check (require_nonce or (confidential and not require_pkce));

-- The APIs of an organization, for which its issuer makes access tokens.
create table resources (
  -- Goes with it, also where an earlier version removes that, which does not know this table.
  org_id uuid not null references organizations on delete cascade,
  id uuid not null,
  identifier text collate "C" not null,
  name text not null,
  scopes text[] not null,
  token_lifetime_ms double precision not null check (token_lifetime_ms between 1000 and 86400000),
  created_at timestamptz not null,
  primary key (org_id, id),
  unique (org_id, identifier)
);

-- Access tokens for a resource are JWTs; the hash of the whole one is stored, so that they are known again.
alter table issuer_tokens drop constraint issuer_tokens_kind_check;
alter table issuer_tokens add constraint issuer_tokens_kind_check
  check (kind in ('AuthorizationCode', 'AccessToken', 'RefreshToken', 'JwtAccessToken')) not valid;

-- The client secrets of a confidential application, two at most: [{"id", "hash" (hexadecimal), "created_at", "expires_at"}]. The hash
-- in client_secret_hash is always that of one of them. Where it is not, an older release wrote it, and it is the only secret.
alter table applications add column client_secrets json;
