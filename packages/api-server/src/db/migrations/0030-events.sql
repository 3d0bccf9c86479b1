-- What happened in the engine: the audit trail, and the news of its parts.
create table engine_event (
  id uuid primary key,
  ts timestamptz not null default clock_timestamp(),
  kind text not null check (kind in ('audit', 'health', 'alert', 'worker', 'device', 'engine')),
  level text not null check (level in ('info', 'warning', 'error')),
  flow text,
  node text,
  action text not null,
  actor json,
  detail json not null
);
create index engine_event_time on engine_event (ts desc, id desc);
create index engine_event_kind on engine_event (kind, ts desc, id desc);
create index engine_event_flow on engine_event (flow, ts desc, id desc) where flow is not null;

-- Deliveries that ended without being done. `value` is JSON text: node code may put anything into a string.
create table dead_letter (
  id uuid primary key,
  ts timestamptz not null,
  flow text not null,
  node text not null,
  message text,
  value text,
  reason text not null,
  attempts int not null default 1,
  cascade uuid,
  run uuid
);
create index dead_letter_time on dead_letter (ts desc, id desc);
create index dead_letter_flow on dead_letter (flow, ts desc, id desc);

-- Single-use admissions to the event socket. They live for seconds: a crash may forget them.
create unlogged table socket_ticket (
  -- SHA-256 of the ticket
  proof bytea primary key,
  user_id text not null,
  expires_at timestamptz not null
);
