-- Who signs in by OpenID Connect need have no password.
alter table account alter column password_hash drop not null;

-- The people of OpenID providers, and their accounts.
create table identity (
  issuer text not null,
  subject text not null,
  account uuid not null references account on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index identity_account on identity (account);

-- Sign-ins that have come back from the provider: each comes back once. They live for minutes: a crash may forget them.
create unlogged table returned_sign_in (
  -- SHA-256 of the state
  proof bytea primary key,
  expires_at timestamptz not null
);

-- What a sign-in is exchanged for a session by. They live for a minute: a crash may forget them.
create unlogged table sign_in_code (
  -- SHA-256 of the code
  proof bytea primary key,
  account uuid not null references account on delete cascade,
  expires_at timestamptz not null
);
