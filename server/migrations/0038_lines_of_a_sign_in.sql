-- Whether a refresh token of it was used a second time, so that several lines of tokens come from it. Until then no refresh has to look
-- for other lines, whose end each use of one brings nearer.
alter table issuer_grants add column has_lines boolean not null default false;

-- The application of the request, by which a browser that comes back late finds its way, and whose redirect URIs are looked at again.
-- Null: of a test, or stored by an earlier version.
alter table flows add column client_id uuid;
alter table issuer_interactions add column client_id uuid;
