-- What anybody may publish, without a key, goes behind all other events of a webhook: the place of an event in its lane. No boolean:
-- a comparison with a constant would be made into one that the index does not answer.
create function rank_in_lane(event_name text) returns int
  language sql immutable parallel safe
  return case when event_name = 'VirtualPageLoaded_v1' then 1 else 0 end;
drop index deliveries_due;
create index deliveries_due on deliveries (org_id, webhook_id, rank_in_lane(trigger_name), due_at) where not in_flight;
