-- Workers that engines have asked a scheduler for: a row for each job, the last one of a profile even after its end.
create table provision_request (
  -- The job carries it, so that it is found again.
  id uuid primary key,
  provisioner text not null,
  profile text not null,
  -- The last part of the name of its workers.
  number integer not null,
  -- Tasks of the job that have not ended, as far as that is known.
  tasks integer not null,
  -- The token of its workers.
  jti uuid not null,
  -- Null until the scheduler has said it.
  job text,
  state text not null check (state in ('submitting', 'pending', 'attached', 'cancelling', 'ended', 'failed')),
  -- Who looks after it; null on the embedded database.
  engine uuid,
  requested_at timestamptz not null,
  -- When a call waited for it last, to some seconds.
  wanted_at timestamptz not null,
  error text,
  -- Of the profile, one after the other until now.
  failures integer not null,
  -- Before that no further job of the profile is asked for.
  retry_at timestamptz
);

-- One request of a profile is outstanding at a time, whichever engine made it.
create unique index provision_request_outstanding on provision_request (provisioner, profile)
  where state in ('submitting', 'pending', 'cancelling');
create index provision_request_jti on provision_request (jti);
