-- Tokens of workers: what a token says is signed; here is whether it still counts. No token stands here.
create table worker_token (
  jti uuid primary key,
  name text not null,
  labels text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- To the minute.
  last_used_at timestamptz,
  -- Made by an engine for a worker that it started itself.
  provisioned boolean not null default false
);
create index worker_token_name on worker_token (name) where revoked_at is null;
