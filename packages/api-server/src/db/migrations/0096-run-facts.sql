-- What lists of runs filter, sort and show stands in `run`, whose rows are narrow: a filter looks at all of them. What
-- only the record of one run shows is beside it.
create table run_content (
  run uuid primary key references run on delete cascade,
  inputs json not null,
  result json,
  artifacts json not null default '[]'
);
insert into run_content (run, inputs, result, artifacts) select id, inputs, result, artifacts from run;

-- Which values the arrays of a run have, in order: lists of what it is of, its name, and its type.
create table run_shape (
  id int generated always as identity primary key,
  -- SHA-256 of the fields as they were written.
  digest text not null unique,
  fields json not null
);

alter table run
  add column origin text not null default 'engine' check (origin in ('engine', 'import', 'track')),
  add column note text not null default '',
  add column tags text[] not null default '{}',
  add column pinned boolean not null default false,
  add column archived boolean not null default false,
  -- What is known of its inputs, curves and results, by type; null of none.
  add column shape int,
  add column numbers float8[],
  add column texts text[],
  add column flags boolean[],
  -- Inputs that are lists, records or null, by name.
  add column nested jsonb,
  -- Names of inputs that are too long for lists.
  add column cut text[];

-- The first step; the least and greatest finite value, null where there is none. All are null of chunks that are older
-- than these columns.
alter table metric_chunk add column first_step int8, add column low float8, add column high float8;

-- What earlier runs were given, gave and drew. Nothing reads json with U+0000 and lone surrogates in it, which stand there
-- escaped: U+E000 marks such values, which are left out. Bounds of curves are not known of these runs.
create temporary table old_fact on commit drop as
with content as (
  select run,
    regexp_replace(inputs::text, '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ue000', 'gi')::json as inputs,
    regexp_replace(result::text, '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ue000', 'gi')::json as result
  from run_content
), given as (
  select content.run, 1 as part, place, input->>'name' as name, input->'value' as value
  from content, json_array_elements(content.inputs) with ordinality as given (input, place)
  union all
  select content.run, 3, place, key, value
  from content, json_each(content.result) with ordinality as ended (key, value, place)
), measured as (
  select run, part, place, name, value, json_typeof(value) as kind,
    octet_length(value::text) <= 1024 and strpos(value::text, '\ue000') = 0 as is_short
  from given
), typed as (
  select *, case
    when not is_short then 'cut'
    when kind = 'number' or kind = 'string' and value #>> '{}' in ('NaN', 'Infinity', '-Infinity') then 'number'
    when kind = 'string' then 'text'
    when kind = 'boolean' then 'flag'
    else 'nested' end as type
  from measured
)
select run, part, place, name, type,
  case when type = 'number' then array[(value #>> '{}')::float8] end as numbers,
  case when type = 'text' then value #>> '{}' end as text,
  case when type = 'flag' then (value::text)::boolean end as flag,
  case when type = 'nested' then (value::text)::jsonb end as nested
from typed where part = 1 or type in ('number', 'text', 'flag')
union all
select run, 2, row_number() over (partition by run order by first), message, 'curve',
  array[count, last_step, last_value, null, null], null, null, null
from (
  select source.run, metric.message, min(metric.id) as first, sum(chunk.count)::float8 as count,
    max(chunk.last_step)::float8 as last_step, (array_agg(chunk.last_value order by chunk.seq desc))[1] as last_value
  from (
    select id as run, id as owner, null as node from run
    union all
    select run, cached_from, cached_node from run_node where cached_from is not null
  ) as source
  join metric_chunk chunk on chunk.run = source.owner
  join metric on metric.id = chunk.metric and (source.node is null or metric.node = source.node)
  group by source.run, metric.message
) as curve;

create temporary table old_number on commit drop as
select run, array_agg(number order by part, place, nth) as numbers
from old_fact, unnest(numbers) with ordinality as one (number, nth) group by run;

create temporary table old_facts on commit drop as
select run,
  json_agg(
    json_build_array(case part when 1 then 'params' when 2 then 'metrics' else 'results' end, name, type)
    order by part, place
  ) filter (where type <> 'cut')::text as fields,
  array_agg(text order by part, place) filter (where type = 'text') as texts,
  array_agg(flag order by part, place) filter (where type = 'flag') as flags,
  jsonb_object_agg(name, nested) filter (where type = 'nested') as nested,
  array_agg(name order by place) filter (where type = 'cut') as cut
from old_fact group by run;

insert into run_shape (digest, fields)
select encode(sha256(convert_to(fields, 'UTF8')), 'hex'), fields::json
from (select distinct fields from old_facts where fields is not null) as known;

update run set origin = 'import' where external_id is not null;
update run set shape = run_shape.id, numbers = old_number.numbers, texts = facts.texts, flags = facts.flags,
  nested = facts.nested, cut = facts.cut
from old_facts as facts
left join old_number on old_number.run = facts.run
left join run_shape on run_shape.digest = encode(sha256(convert_to(facts.fields, 'UTF8')), 'hex')
where facts.run = run.id;

alter table run drop column inputs, drop column result, drop column artifacts;

create index run_pinned on run (created_at desc) where pinned;
