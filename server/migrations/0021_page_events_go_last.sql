-- What anybody may publish, without a key: of a webhook all other events go before it.
create function is_page_event(event_name text) returns boolean
  language sql immutable parallel safe
  return event_name = 'VirtualPageLoaded_v1';
drop index deliveries_due;
-- Who looks for the first ones asks for either kind: each is in the order of its due times.
create index deliveries_due on deliveries (org_id, webhook_id, is_page_event(trigger_name), due_at) where not in_flight;
