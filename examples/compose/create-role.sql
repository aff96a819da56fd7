-- Run once by PostgreSQL's image, as its superuser, when the volume is empty: the role and the database of docs/operate/own-postgresql.md.
-- The image's password becomes that of Signet's role. The superuser keeps none, and so connects only inside the container.
\set ON_ERROR_STOP on
\getenv password POSTGRES_PASSWORD
create role signet login password :'password';
grant pg_monitor to signet;
create database signet owner signet encoding 'UTF8' template template0;
alter role postgres password null;
