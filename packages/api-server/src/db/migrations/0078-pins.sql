-- What engines that share this database must have alike, as the first of them had it: fingerprints of keys, and the id of
-- the folder of artifacts.
create table pin (
  name text primary key,
  id text not null,
  created_at timestamptz not null default now()
);
