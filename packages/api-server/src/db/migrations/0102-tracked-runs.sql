-- Runs that another program executes, and tells of. What it sends is counted, so that nothing is taken twice.
create table run_track (
  run uuid primary key references run on delete cascade,
  -- Who began it, and alone may tell of it.
  owner uuid not null,
  -- The last that is stored.
  seq int8 not null default 0,
  -- The ends of its curves by name: id, last chunk, points in that, points, last step, last value, least, greatest.
  curves json not null default '{}',
  -- Bytes that it has printed.
  log_bytes int8 not null default 0
);
