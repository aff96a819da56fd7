-- A call of a synchronous hook is logged beside the deliveries; its run takes the place of the event, also as the day.
alter table finished_deliveries
  add column trigger_type text not null default 'event' check (trigger_type in ('event', 'sync_hook')),
  -- Protected claims that the receiver gave; null when there were none.
  add column dropped_claims text[];
