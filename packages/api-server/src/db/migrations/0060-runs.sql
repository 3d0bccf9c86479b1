-- Runs of batch flows. Values that come from node code are `json`, not `jsonb`: their strings may hold U+0000, which
-- jsonb refuses.

-- Flows that have runs. `name` is the last one known; a flow that still exists is asked for its own.
create table run_flow (
  id uuid primary key,
  name text not null
);

-- What was executed, once for each flow and digest.
create table run_document (
  flow uuid not null references run_flow,
  digest text not null,
  document json not null,
  primary key (flow, digest)
);

create table run (
  id uuid primary key,
  flow uuid not null references run_flow,
  status text not null default 'queued'
    check (status in ('queued', 'running', 'ok', 'error', 'cancelled', 'abandoned')),
  priority int not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  -- Both set exactly while the run executes; every write of its engine names the token.
  lease_token uuid,
  lease_until timestamptz,
  draft boolean not null,
  no_cache boolean not null,
  flow_version int,
  -- Null until a draft run has read its draft.
  digest text,
  commit text,
  seed int8,
  inputs json not null,
  group_id uuid,
  parent uuid,
  idempotency_key text,
  external_id text,
  submitted_by text,
  result json,
  error json,
  artifacts json not null default '[]',
  check ((status = 'running') = (lease_token is not null and lease_until is not null)),
  foreign key (flow, digest) references run_document
);
-- The cursor of lists: no two runs share it.
create unique index run_created on run (created_at desc);
create index run_of_flow on run (flow, created_at desc);
-- With the times, so that the overview of all flows reads nothing but this index.
create index run_by_status on run (flow, status, created_at desc) include (started_at, finished_at);
create index run_of_group on run (group_id, created_at desc) where group_id is not null;
create index run_by_digest on run (digest, created_at desc) where digest is not null;
create index run_active on run (created_at desc) where status in ('queued', 'running');
create index run_admission on run (priority desc, created_at) where status = 'queued';
create index run_waiting on run (flow, priority desc, created_at) where status = 'queued';
create index run_lease on run (lease_until) where status = 'running';
create unique index run_idempotency on run (flow, idempotency_key) where idempotency_key is not null;
create unique index run_external on run (external_id) where external_id is not null;

create table run_node (
  run uuid not null references run on delete cascade,
  node text not null,
  status text not null check (status in ('pending', 'queued', 'running', 'ok', 'error', 'skipped', 'cancelled')),
  -- The execution whose outputs a cache hit gave; it may be deleted before this one.
  cached_from uuid,
  cached_node text,
  cached boolean not null default false,
  worker text,
  queued_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  waiting_for text,
  logs text not null default '',
  logs_truncated boolean not null default false,
  traceback text,
  error json,
  -- Of nodes with code: what the stage cache had for it.
  cache json,
  -- Of nodes with a retry: each execution.
  attempts json,
  primary key (run, node)
);

-- A curve's place: a streaming port, and the message it publishes.
create table metric (
  id int generated always as identity primary key,
  node text not null,
  port text not null,
  message text not null,
  unique (node, port, message)
);

-- Points of a curve in order; `ts` in milliseconds since the Unix epoch. Bytes hold 8 of each point, as `float8send`
-- gives them.
create table metric_chunk (
  run uuid not null references run on delete cascade,
  metric int not null references metric,
  seq int not null,
  count int not null,
  last_step int8 not null,
  last_value float8 not null,
  steps bytea not null,
  ts bytea not null,
  vals bytea not null,
  primary key (run, metric, seq)
);

-- Outputs of a node of a run whose place in the cache another execution has taken.
create table run_output (
  run uuid not null references run on delete cascade,
  node text not null,
  outputs json not null,
  primary key (run, node)
);

-- Outputs of executions by stage key; `shape` is the make of the key, `parts` what it was made of. Without outputs,
-- `loss` says why; that they were there is known for a while.
create table stage_cache (
  key text primary key,
  shape int not null,
  flow uuid not null,
  node text not null,
  parts json not null,
  outputs json,
  loss text check (loss in ('expired', 'secret', 'too_large', 'volatile')),
  run uuid not null,
  used_at timestamptz not null default now(),
  check ((outputs is null) = (loss is not null))
);
create index stage_cache_use on stage_cache (used_at);
create index stage_cache_of_node on stage_cache (flow, node, used_at desc);
create index stage_cache_run on stage_cache (run, node);

-- Stages that execute now, where several engines share the database; a row counts while the run holds its lease. Not
-- logged: after a crash of the database everybody starts anew.
create unlogged table stage_flight (
  key text primary key,
  run uuid not null,
  token uuid not null,
  failed boolean not null default false
);

-- The cache forgets; what a run has returned is kept as long as the run.
create function keep_run_output() returns trigger language plpgsql as $$
begin
  insert into run_output (run, node, outputs)
  select old.run, old.node, old.outputs from run where run.id = old.run for key share
  on conflict do nothing;
  return null;
end
$$;
create trigger stage_replaced after update of run, node, outputs on stage_cache for each row
  when (old.outputs is not null
    and ((old.run, old.node) is distinct from (new.run, new.node) or new.outputs is null))
  execute function keep_run_output();
create trigger stage_removed after delete on stage_cache for each row
  when (old.outputs is not null) execute function keep_run_output();
