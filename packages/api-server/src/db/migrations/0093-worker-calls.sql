-- Whether the document that a run will execute has nodes that only attached workers execute.
alter table run add column elsewhere boolean not null default false;

-- Runs that go on after the death of their engine while workers have their calls: a row from the claim of such a run, or
-- from its first write, until its end. What begins of it is noted.
create table kept_run (
  run uuid primary key references run on delete cascade,
  -- Last values of messages of other flows as the run has read them, by message; null while nothing of it has begun.
  read json
);

-- Nodes of these runs that have ended, in the order of `place`.
create table kept_node (
  run uuid not null references kept_run on delete cascade,
  node text not null,
  place int not null,
  -- Null of a node that did not end well.
  outputs json,
  primary key (run, node)
);

-- What executes of these runs: a row from before it begins until the commit that has its end.
create table worker_call (
  call text primary key,
  run uuid not null references kept_run on delete cascade,
  node text not null,
  attempt int not null,
  -- The token of the worker that has it, and the session; both null of what ends with its engine.
  jti uuid,
  session text,
  -- The last frame of which everything is stored, and how many emissions of the next one are.
  seq int8 not null default 0,
  part int not null default 0,
  -- What the engine has to know of the call beside the record of its node.
  state json not null,
  check ((jti is null) = (session is null))
);
create index worker_call_run on worker_call (run);
create index worker_call_session on worker_call (session) where session is not null;
