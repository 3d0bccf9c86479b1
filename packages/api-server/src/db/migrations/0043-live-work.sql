-- Work of live flows that outlives the engine: held deliveries, durable arrivals, timers, executions that must not be
-- repeated. `body` and `origin` are JSON texts; `begun` names readers that have begun to execute it and must not do so
-- twice, `ended` those that are done with it; `counted` is the commit that raised `attempts` last, so that a repeated commit does not raise it again. The table
-- holds what is under way, and is read by flow at starts only: an index for that would cost each write a third more.
create table live_work (
  id uuid primary key,
  position bigint not null generated always as identity,
  flow uuid not null references flow on delete cascade,
  node text not null,
  body text not null,
  cascade uuid not null,
  origin text not null,
  attempts integer not null,
  counted uuid,
  begun text[] not null,
  ended text[] not null
);
