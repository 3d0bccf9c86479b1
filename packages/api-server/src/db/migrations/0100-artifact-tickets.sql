-- Admissions of browsers to the bytes of one digest. They live for minutes: a crash may forget them.
create unlogged table artifact_ticket (
  -- SHA-256 of the ticket.
  proof bytea primary key,
  digest text not null,
  -- Of the client that got it, which alone may use it.
  address text not null,
  user_id uuid not null,
  -- What the user was signed in with: the id of the user, or that of a key or agent, as of a version.
  guest_id text not null,
  via text not null,
  version int not null,
  ends_at_ms double precision,
  -- Whether it was used: the first use moves its end.
  opened boolean not null default false,
  expires_at timestamptz not null
);
create index artifact_ticket_end on artifact_ticket (expires_at);
