-- Who was invited has no password yet, and who signs in elsewhere needs none.
alter table account alter column password_hash drop not null;
alter table account add column last_sign_in_at timestamptz;

-- Links by which somebody sets a password: an invite, or one that was forgotten. No token stands here.
create table password_link (
  -- SHA-256 of the token.
  proof bytea primary key,
  account uuid not null references account on delete cascade,
  kind text not null check (kind in ('invite', 'recovery')),
  -- Of the account when it was made: with the next password, or a deactivation, the link is dead.
  token_version int not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_link_by_account on password_link (account, created_at);
