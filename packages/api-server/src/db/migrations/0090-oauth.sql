-- Programs that may ask users to let them in. None has a secret.
create table oauth_client (
  id text primary key,
  name text not null,
  redirect_uris text[] not null,
  -- It has made itself known; forgotten after a day in which nobody has let it in.
  registered boolean not null,
  created_at timestamptz not null default now()
);

-- Agents that users have let in. What a token of one may do is what this row, its owner and the token all allow.
create table agent_grant (
  id uuid primary key,
  account uuid not null references account on delete cascade,
  -- The name as the user saw it.
  client text not null,
  -- The program that a consent was given to; null where a token was minted.
  client_id text references oauth_client on delete set null,
  origin text not null check (origin in ('minted', 'consent')),
  scopes text[] not null,
  -- Fingerprint of the key that signs its tokens: with another key it is void.
  signed_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- To the minute.
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index agent_grant_account on agent_grant (account);
create index agent_grant_client on agent_grant (client_id);

-- What the authorization server remembers: codes, refresh tokens, sign-ins that are under way. Whoever has the id of one may
-- use it, so that its digest stands here.
create table oauth_record (
  kind text not null,
  -- SHA-256 of the id.
  digest bytea not null,
  agent_grant uuid references agent_grant on delete cascade,
  payload json not null,
  -- A code and a refresh token are used once.
  consumed_at timestamptz,
  expires_at timestamptz not null,
  primary key (kind, digest)
);
create index oauth_record_grant on oauth_record (agent_grant);
create index oauth_record_expiry on oauth_record (expires_at);
