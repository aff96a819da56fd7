create table oidc_credentials (
  org_id uuid not null references organizations,
  -- Also the last segment of its callback: each credential has one of its own.
  id uuid not null,
  client_id text collate "C" not null,
  provider text not null,
  -- Encrypted with the master key.
  client_secret bytea not null,
  label text not null,
  external_cred_id text not null,
  -- The options of its own provider, as given: an absent one has its default.
  options jsonb not null,
  -- The issuer that the credential was found to stand for, where its options leave that open (a domain of an Entra tenant), from
  -- the first time on: a domain that changes hands must not bring another tenant's people in. Null: nobody has looked yet.
  issuer text collate "C",
  -- Rises with each change, so that what was made of an earlier version is known to be old.
  version int not null default 1,
  primary key (org_id, id)
);
create unique index oidc_credentials_by_client_id on oidc_credentials (org_id, client_id);

create table applications (
  org_id uuid not null references organizations,
  client_id uuid not null,
  name text not null,
  redirect_uris text[] not null,
  post_logout_redirect_uris text[] not null,
  confidential boolean not null,
  -- SHA-256 of the secret; the secret itself is stored nowhere. Null: a public application.
  client_secret_hash bytea,
  id_token_signed_response_alg text not null check (id_token_signed_response_alg in ('RS256', 'ES256')),
  require_pkce boolean not null,
  -- Whether tokens of the application name the person's groups.
  groups_claim boolean not null default true,
  -- For how long after its first use a refresh token may be used again.
  refresh_token_grace_ms double precision not null default 10000 check (refresh_token_grace_ms between 0 and 60000),
  created_at timestamptz not null,
  primary key (org_id, client_id),
  check (confidential = (client_secret_hash is not null)),
  check (confidential or require_pkce)
);

-- The origins of redirect URIs, as browsers write them: in lower case, without a default port.
create function origins_of(uris text[]) returns text[] language sql immutable strict parallel safe
return array(
  select regexp_replace(lower(substring(uri from '^https?://[^/?]+')), '^(https://.*):443$|^(http://.*):80$', '\1\2')
    from unnest(uris) as uri
);

-- For the preflights of browsers, which name no organization.
create index applications_by_origin on applications using gin (origins_of(redirect_uris));
