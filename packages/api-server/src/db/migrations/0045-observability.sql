-- Cascades that are over: everything that one event set off in live flows, and runs, whose id they have. Of the many
-- short ones without a failure only some are here.
create table ended_cascade (
  id uuid primary key,
  flow text not null,
  origin text not null,
  origin_node text,
  origin_message text,
  run uuid,
  status text not null check (status in ('ok', 'error', 'abandoned')),
  executions int8 not null,
  started_at timestamptz not null,
  finished_at timestamptz not null,
  error json
);
create index ended_cascade_time on ended_cascade (started_at desc);
create index ended_cascade_flow on ended_cascade (flow, started_at desc);
create index ended_cascade_trouble on ended_cascade (started_at desc) where status <> 'ok';
create index ended_cascade_run on ended_cascade (run) where run is not null;

-- What a flow executed in a minute. `steps` and `counts` are a histogram of durations; `timed` and `duration_ms` are the
-- count and sum of those.
create table flow_minute (
  flow text not null,
  minute timestamptz not null,
  executions int8 not null,
  errors int8 not null,
  timed float8 not null,
  duration_ms float8 not null,
  steps int4[] not null,
  counts float8[] not null,
  last_at timestamptz not null,
  primary key (flow, minute)
);
create index flow_minute_time on flow_minute (minute);

-- A row that is written and read to see whether the database works.
create table store_check (
  id int primary key,
  at timestamptz not null
);

create index dead_letter_reason on dead_letter (reason, ts desc);
