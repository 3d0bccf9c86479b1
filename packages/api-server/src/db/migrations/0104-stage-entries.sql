-- A stage has an entry for each environment that it was executed in. `key` names the entry, `stage` the stage; entries of
-- engines that know one of each stage are named after it, and have no `stage`.
alter table stage_cache add column stage text;
create index stage_cache_stage on stage_cache (coalesce(stage, key));
