-- Work of live flows that outlives the engine: held deliveries, durable arrivals, timers, executions that must not be
-- repeated. `body` and `origin` are JSON texts, a `body` with the value of a secret in it a sealed one; `begun` names readers that have begun to execute it and must not do so
-- twice, `ended` those that are done with it; `counted` is the commit that raised `attempts` last, so that a repeated commit does not raise it again. The table
-- holds what is under way, and is read by flow at starts only: an index for that would cost each write a third more. So
-- would a foreign key, which looks for the flow once a row: writes lock their flows once a statement instead, and the
-- trigger removes the work of a deleted one.
create table live_work (
  id uuid primary key,
  position bigint not null generated always as identity,
  flow uuid not null,
  node text not null,
  body text not null,
  cascade uuid not null,
  origin text not null,
  attempts integer not null,
  counted uuid,
  begun text[] not null,
  ended text[] not null
);

-- Values that durable arrivals have published, until they are last values and history: one row a commit and flow. `body`
-- is a JSON list, or sealed.
create table published_value (
  id uuid primary key,
  flow uuid not null,
  body text not null
);

create function remove_live_work() returns trigger language plpgsql as $$
begin
  delete from live_work where flow = old.id;
  delete from published_value where flow = old.id;
  return null;
end
$$;
create trigger flow_live_work after delete on flow for each row execute function remove_live_work();
