-- alone: engines of earlier versions know neither leases nor epochs.

-- An engine lives as long as its lease, which it renews: whoever lets it run out owns nothing any more, and gets another
-- one. Times are the database's.
delete from engine;
alter table engine
  drop column contact_at,
  add column lease uuid not null unique,
  add column lease_until timestamptz not null,
  add column started_at timestamptz not null default now(),
  -- Whether it is about to end: then it has no share in live flows.
  add column is_leaving boolean not null default false,
  -- Where other engines reach it; null for one that nobody can reach.
  add column link_url text,
  -- Which frames it speaks on links to other engines.
  add column protocol integer not null default 1;

create or replace function engine_in_contact(asked uuid) returns boolean language sql stable as $$
  select exists (select from engine where id = asked and lease_until > now())
$$;

-- Who runs a live flow: the engine that has the lease, in an epoch that grows with each change of hands. A row stays when nobody runs the flow,
-- so that an epoch never comes twice. It is a table of its own: every write of a flow's live state locks its row, which is
-- short, while a row of `flow` is locked for as long as somebody publishes.
create table placement (
  flow uuid primary key references flow (id) on delete cascade,
  lease uuid,
  epoch bigint not null default 1,
  -- When an engine has left the flow to others; null unless it is on its way to one.
  left_at timestamptz
);
create index placement_lease on placement (lease);

drop function runs_at(flow);
alter table flow drop column engine;

-- The living engine that runs a flow, as refusals name it.
create function runs_at(placed flow) returns json language sql stable as $$
  select json_build_object('id', engine.id, 'name', engine.name, 'address', engine.address)
  from placement join engine using (lease)
  where placement.flow = placed.id and engine.lease_until > now()
$$;

-- Whether a flow is on its way from one engine to another: its engine has left it a moment ago, or is lost.
create function is_between(placed flow) returns boolean language sql stable as $$
  select placed.wished <> 'stopped' and exists (
    select from placement left join engine on engine.lease = placement.lease and engine.lease_until > now()
    where placement.flow = placed.id and engine.id is null
      and (placement.lease is not null or placement.left_at > now() - interval '10 s'))
$$;

-- Whatever changes hands, engines hear that something has; so they do when an engine ends.
create function tell_placement_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('placement_changed', '');
  return null;
end $$;
create trigger placement_changed after insert or update or delete on placement
  for each statement execute function tell_placement_changed();
create trigger engine_gone after delete on engine
  for each statement execute function tell_placement_changed();
