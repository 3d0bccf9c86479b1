-- The people who may sign in; `user` itself is a reserved word of SQL.
create table account (
  id uuid primary key,
  -- A to Z in lower case; no other letter is folded.
  email text not null unique,
  full_name text,
  -- argon2id as a PHC string.
  password_hash text not null,
  is_active boolean not null default true,
  is_superuser boolean not null default false,
  -- A session token of an older version is void.
  token_version int not null default 0,
  created_at timestamptz not null default now()
);
