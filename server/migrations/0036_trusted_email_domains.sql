-- Domains whose addresses count as confirmed at this credential's provider, which is the customer's own: A-labels in lower case. An admin key
-- sets them, and whatever points the credential elsewhere empties them.
alter table oidc_credentials add column trust_email_domains text[] not null default '{}';
