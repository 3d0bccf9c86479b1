-- Named sizes of what a call of node code takes. `ram_mb` is in MB.
create table flavor (
  name text primary key,
  cpus double precision not null,
  gpus integer not null,
  ram_mb integer not null,
  description text not null
);
