-- Where the nodes of a flow are drawn: no part of its contents. `json`, for keys of clients may hold U+0000.
create table flow_layout (
  flow uuid primary key references flow on delete cascade,
  layout json not null
);

-- Contents had layouts of any shape. A place of a node is found below `nodes` or beside it, as {x, y}, as [x, y] and as
-- {position: {x, y}}; what is left over is kept as it was.
with old as (
  select * from (
    select id, coalesce(draft, published) -> 'layout' as layout, array(
      select item #>> '{}' from jsonb_path_query(jsonb_build_array(draft, published), '$[*].nodes[*].id') as items (item)
    ) as ids
    from flow
  ) as content where jsonb_typeof(layout) = 'object' and layout <> '{}'
), entry as (
  select id, true as below, key, value
  from old, jsonb_each(case when jsonb_typeof(layout -> 'nodes') = 'object' then layout -> 'nodes' else '{}' end)
  where key = any(ids)
  union all
  select id, false, key, value from old, jsonb_each(layout - 'nodes') where key = any(ids)
), pair as (
  select id, below, key, case jsonb_typeof(value)
      when 'array' then jsonb_build_object('x', value -> 0, 'y', value -> 1)
      when 'object' then coalesce(value -> 'position', value)
    end as at
  from entry
), place as (
  select distinct on (id, key) id, below, key, jsonb_build_object('x', at -> 'x', 'y', at -> 'y') as at
  from pair
  where case when jsonb_typeof(at -> 'x') = 'number' and jsonb_typeof(at -> 'y') = 'number'
    then abs((at ->> 'x')::numeric) <= 1000000 and abs((at ->> 'y')::numeric) <= 1000000
    else false end
  order by id, key, below desc
), fresh as (
  select old.id, (old.layout - 'nodes' - array(select key from place where place.id = old.id and not below))
    || jsonb_build_object('nodes', coalesce((select jsonb_object_agg(key, at) from place where place.id = old.id), '{}'))
    as layout
  from old
)
insert into flow_layout (flow, layout)
select id, layout from fresh where octet_length(layout::text) <= 262144;
