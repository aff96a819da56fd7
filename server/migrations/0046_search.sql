-- Search by how a name begins, whatever the case of its letters. Changes of these tables wait while they are built: well under a second.
create index webhooks_by_name on webhooks (org_id, lower(name) collate "C", id);
create index groups_by_lower_name on groups (org_id, lower(name) collate "C", name);
create index applications_by_name on applications (org_id, lower(name) collate "C", client_id);
create index oidc_credentials_by_label on oidc_credentials (org_id, lower(label) collate "C", client_id) where label <> '';
