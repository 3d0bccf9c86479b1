-- What has failed last in a node of a live flow, until somebody has taken note of it or the node has another content:
-- `content` is a digest of that, sealed, for it is made of values of secrets too.
create table failure_marker (
  flow uuid not null references flow (id) on delete cascade,
  node text not null,
  type text not null,
  message text not null,
  traceback text,
  ts timestamptz not null,
  content text not null,
  primary key (flow, node)
);
