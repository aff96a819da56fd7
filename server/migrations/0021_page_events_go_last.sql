-- The priority of an event in its lane: 0 first, 1 after all that are due. Page events have 1, because anybody may publish them
-- without a key. It is no boolean: a comparison with a constant boolean is simplified to one that the index cannot answer.
create function priority_in_lane(event_name text) returns int
  language sql immutable parallel safe
  return case when event_name = 'VirtualPageLoaded_v1' then 1 else 0 end;
drop index deliveries_available;
create index deliveries_available on deliveries (org_id, webhook_id, priority_in_lane(trigger_name), available_at) where not is_leased;
