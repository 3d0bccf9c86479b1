-- Last values by qualified message. Values are JSON text: node code may put anything into a string, and nothing of
-- the engine asks the database about their inside.
create table message_value (
  message text primary key,
  value text not null,
  at timestamptz not null,
  -- Counts the values the message ever had; the newest has this number in the history.
  seq int8 not null
);

create table message_history (
  message text not null,
  seq int8 not null,
  at timestamptz not null,
  -- Null when it was too long to keep.
  value text,
  flow text,
  node text,
  port text,
  run uuid,
  -- Whether artifacts are referred to on behalf of this row.
  has_refs boolean not null,
  primary key (message, seq)
);
create index message_history_age on message_history (at);
