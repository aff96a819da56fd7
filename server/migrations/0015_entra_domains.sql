-- The issuer that a credential was found to stand for, where its options leave that open (a domain of an Entra tenant), from
-- the first time on: a domain that changes hands must not bring another tenant's people in. Null: nobody has looked yet.
alter table oidc_credentials add column issuer text collate "C";
