-- The text that lists the packages of node code and connectors, the same for all engines of the database: one row.
create table module_manifest (
  one boolean primary key default true check (one),
  requirements text not null,
  applied_at timestamptz not null default now(),
  applied_by text not null
);
