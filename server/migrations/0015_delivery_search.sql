-- For the deliveries of all webhooks, the newest event first: few statuses and names, so that a search for any of them, or for all,
-- merges a few ranges of the index.
create index finished_deliveries_search on finished_deliveries (org_id, status, trigger_name, event_id, webhook_id);
