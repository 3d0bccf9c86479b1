-- Contents that were published, the newest of each flow. What they share with others stands beside them as it was then:
-- code of the library by its name, and texts of modules by their paths; `json`, for texts may hold U+0000.
create table flow_version (
  flow uuid not null references flow on delete cascade,
  version integer not null,
  -- As that of a run; null of contents that are older than this table, until somebody reads them.
  digest text,
  content jsonb not null,
  library json not null,
  modules json not null,
  origin text not null check (origin in ('api', 'code')),
  published_at timestamptz not null,
  published_by text,
  primary key (flow, version)
);

insert into flow_version (flow, version, content, library, modules, origin, published_at, published_by)
select id, published_version, published, coalesce(library_of(flow), '{}'), '{}', origin, updated_at,
  case when origin = 'api' then updated_by end
from flow where published is not null;

-- How many runs executed a version.
create index run_of_digest on run (flow, digest) where digest is not null;
