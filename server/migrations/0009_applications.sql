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
  created_at timestamptz not null,
  primary key (org_id, client_id),
  check (confidential = (client_secret_hash is not null)),
  check (confidential or require_pkce)
);
