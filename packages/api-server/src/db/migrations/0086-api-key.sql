-- Keys by which programs are signed in as a user.
create table api_key (
  id uuid primary key,
  owner_id uuid not null references account (id) on delete cascade,
  name text not null,
  -- What is shown of a key, and finds it.
  prefix text not null unique,
  -- SHA-256 of the key.
  proof bytea not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  -- To the minute.
  last_used_at timestamptz
);
create index api_key_owner on api_key (owner_id);
-- Whoever comes by a ticket comes as what got it: `user_id` is the id of the user, or of the key. No version is that of an
-- engine from before this file: any.
alter table socket_ticket add column version int;
alter table socket_ticket add column ends_at_ms double precision;
