-- The span in which an event was published, as W3C Trace Context writes it. Its deliveries belong to the same trace, whichever process
-- makes them, and however late. Null where the publication was not traced.
alter table events add column traceparent text;
