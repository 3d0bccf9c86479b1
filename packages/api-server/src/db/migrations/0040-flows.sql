-- A flow. `draft` and `published` hold documents without name and version; the one that is null does not exist.
create table flow (
  id uuid primary key,
  name text not null unique,
  version integer not null check (version > 0),
  draft jsonb,
  published jsonb,
  published_version integer,
  origin text not null check (origin in ('api', 'code')),
  code jsonb,
  wished text not null default 'stopped' check (wished in ('active', 'paused', 'stopped')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  updated_by text,
  -- How many runs execute at once, as the published content says, or the draft of a flow that was never published.
  concurrency integer generated always as (
    case when jsonb_typeof(coalesce(published, draft) -> 'concurrency') = 'number'
      then (coalesce(published, draft) ->> 'concurrency')::numeric::integer end
  ) stored,
  -- What lists show of the contents, so that they need not read them. What is no mode counts as live.
  has_draft boolean generated always as (draft is not null) stored,
  mode text generated always as (
    case when coalesce(draft, published) ->> 'mode' = 'batch' then 'batch' else 'live' end
  ) stored,
  published_mode text generated always as (
    case when published is not null then case when published ->> 'mode' = 'batch' then 'batch' else 'live' end end
  ) stored,
  check (draft is not null or published is not null),
  check ((published is null) = (published_version is null)),
  check (published_version <= version)
);

-- The executable form of a piece of TypeScript, by the digest that a document's `entry` names: digests of the artifacts
-- that hold its text and its source map, and the native addons that are not in it.
create table code_bundle (
  digest text primary key,
  bundle text not null,
  source_map text not null,
  addons text[] not null,
  -- Moved when it is registered: a young one is spared, because the flow that names it may be on its way.
  touched_at timestamptz not null default now()
);
