-- What lists of runs filter, sort and show stands in `run`, whose rows are narrow: a filter looks at all of them. What
-- only the record of one run shows is beside it.
create table run_content (
  run uuid primary key references run on delete cascade,
  inputs json not null,
  result json,
  artifacts json not null default '[]'
);
insert into run_content (run, inputs, result, artifacts) select id, inputs, result, artifacts from run;

alter table run
  add column origin text not null default 'engine' check (origin in ('engine', 'import', 'track')),
  add column note text not null default '',
  add column tags text[] not null default '{}',
  add column pinned boolean not null default false,
  add column archived boolean not null default false,
  -- Values of inputs by name, without the long ones, which `params_cut` names.
  add column params jsonb not null default '{}',
  add column params_cut text[] not null default '{}',
  -- Numbers, texts and booleans among the outputs of the flow.
  add column results jsonb not null default '{}',
  -- By message: points, last step, last value, least and greatest finite value.
  add column metrics jsonb not null default '{}';

-- The least and greatest finite value; null where there is none, and of chunks that are older than these columns.
alter table metric_chunk add column low float8, add column high float8;

-- `jsonb` refuses U+0000 and lone surrogates, which stand escaped in `json`.
update run set
  origin = case when run.external_id is null then 'engine' else 'import' end,
  params = coalesce(given.params, '{}'), params_cut = coalesce(given.cut, '{}'), results = coalesce(ended.results, '{}'),
  metrics = coalesce(drawn.metrics, '{}')
from run_content as content
left join lateral (
  select json_object_agg(input->>'name', input->'value') filter (where not is_cut)::jsonb as params,
    array_agg(input->>'name') filter (where is_cut) as cut
  from (
    select input, octet_length((input->'value')::text) > 1024 or (input->'value')::text ~* '\\u(0000|d[89a-f])' as is_cut
    from json_array_elements(content.inputs) as input
  ) as inputs
) as given on true
left join lateral (
  select json_object_agg(key, value)::jsonb as results from json_each(content.result)
  where json_typeof(value) in ('number', 'string', 'boolean')
    and octet_length(value::text) <= 1024 and value::text !~* '\\u(0000|d[89a-f])'
) as ended on true
left join lateral (
  select jsonb_object_agg(message, summary) as metrics from (
    select metric.message, jsonb_build_array(
      sum(chunk.count), max(chunk.last_step), (array_agg(chunk.last_value order by chunk.seq desc))[1], null, null
    ) as summary
    from (
      select content.run as owner, null as node
      union all
      select cached_from, cached_node from run_node where run_node.run = content.run and cached_from is not null
    ) as source
    join metric_chunk chunk on chunk.run = source.owner
    join metric on metric.id = chunk.metric and (source.node is null or metric.node = source.node)
    group by metric.message
  ) as curve
) as drawn on true
where content.run = run.id;

alter table run drop column inputs, drop column result, drop column artifacts;

create index run_pinned on run (created_at desc) where pinned;
