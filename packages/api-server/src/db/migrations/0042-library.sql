-- Source that several nodes share. A node of a document names it (`library`) and holds no source of its own.
create table library (
  name text primary key,
  code text not null,
  version integer not null check (version > 0),
  updated_at timestamptz not null default now(),
  updated_by text
);

-- The library sources that the contents of a flow name, as an object of code by name; null when there is none. Contents
-- that hold no document name none.
create function library_of(owner flow) returns jsonb language sql stable as $$
  select jsonb_object_agg(library.name, library.code) from library
  where library.name in (
    select jsonb_path_query(form, '$.nodes[*].library ? (@.type() == "string")') #>> '{}'
    from unnest(array[owner.draft, owner.published]) as form)
$$;
