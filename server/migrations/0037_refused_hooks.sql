-- A hook that refused a person: neither a success nor a failure of its receiver. What is there already is one of the three others.
alter table finished_deliveries
  drop constraint finished_deliveries_status_check,
  add constraint finished_deliveries_status_check check (status in ('succeeded', 'dropped', 'cancelled', 'refused')) not valid;
