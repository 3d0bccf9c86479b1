-- Engines that have this database open: a row for each life of one, which goes when it ends. Times are the database's.
create table engine (
  id uuid primary key,
  name text not null,
  -- URL of its API; null until it listens.
  address text,
  version text not null,
  contact_at timestamptz not null default now()
);

-- Whether an engine was heard of within the last 20 s.
create function engine_in_contact(asked uuid) returns boolean language sql stable as $$
  select exists (select from engine where id = asked and contact_at > now() - interval '20 s')
$$;

-- The engine that runs the live flow, as long as that is in contact.
alter table flow add column engine uuid;

-- The engine in contact that runs a flow, as refusals name it.
create function runs_at(placed flow) returns json language sql stable as $$
  select case when placed.engine is not null then (
    select json_build_object('id', engine.id, 'name', engine.name, 'address', engine.address) from engine
    where engine.id = placed.engine and engine_in_contact(engine.id)) end
$$;

-- Whatever changes flows, and the source that they share, other engines hear that something has.
create function tell_flows_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('flows_changed', '');
  return null;
end $$;
create trigger flow_changed after insert or update or delete on flow
  for each statement execute function tell_flows_changed();
