-- Widgets on a grid. A content is title, columns and widgets in one: the draft of people, and what is published.
create table dashboard (
  id uuid primary key,
  name text not null unique,
  -- Grows with every change of the draft, or of the name.
  version int not null default 1,
  published_version int,
  draft jsonb,
  published jsonb,
  origin text not null check (origin in ('api', 'code')),
  -- The module that defines it; null for one of the API.
  module text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (draft is not null or published is not null),
  check ((published is null) = (published_version is null))
);
