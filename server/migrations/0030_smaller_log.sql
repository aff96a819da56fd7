-- The search over all webhooks walks those of each day by the primary key: an index of its own was as large as that one, and each
-- delivery wrote to it.
drop index finished_deliveries_search;
