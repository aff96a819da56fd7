-- What a key may do: each `groups:read` or `groups:write`, and so on for the other areas. Null, as for the keys of 0.1.0: all
-- scopes, or with `read_only` all that read, later ones among them.
-- `read_only` is true for every key but the admin keys, so that a process of 0.1.0 on this database, which knows no scopes,
-- lets a key with some of them write nothing, and does not take it for an admin key.
alter table api_keys add column scopes text[];
