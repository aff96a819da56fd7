alter table lanes
  -- How many requests may be in flight at once: halved by a failure, one more with each success; null: as many as the setting says.
  add column max_requests int,
  -- Failed attempts since the last success. From five on there is one request at a time.
  add column failures int not null default 0;

-- Deliveries that were attempted in their window go before the others of their lane. One that succeeds at once is never in it.
create index deliveries_retries on deliveries (org_id, webhook_id, priority_in_lane(trigger_name), available_at)
  where not is_leased and window_attempts > 0;
