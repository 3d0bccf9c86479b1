-- What is sent where when the engine notices that something fails, the same for all engines of the database: one row.
create table alert_config (
  one boolean primary key default true check (one),
  -- References to secrets, and no value of one.
  config json not null,
  changed_at timestamptz not null default now(),
  changed_by text not null
);

-- What alerts were about lately: when it was told last, and how often it has happened since.
create table alert_subject (
  event text not null,
  subject text not null,
  sent_at timestamptz not null,
  -- By the claim that was given it to send, and with which count.
  sent_by uuid not null,
  told integer not null,
  repeats integer not null,
  raised_at timestamptz not null,
  -- An engine; the text of an embedded one is empty.
  raised_by text not null,
  latest json not null,
  primary key (event, subject)
);
