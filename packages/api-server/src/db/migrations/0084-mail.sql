-- Mails that are still to be sent, with the links in them; what is sent, or given up, is gone.
create table mail (
  id uuid primary key,
  recipient text not null,
  subject text not null,
  body text not null,
  -- Begun ones, that of the engine that sends it now included.
  attempts int not null default 0,
  -- When an engine may try next: while one does, when its lease is over.
  due_at timestamptz not null default now(),
  -- Later it is not sent any more.
  expires_at timestamptz not null
);
create index mail_by_due_time on mail (due_at);
