-- Of outputs: by port what a value is whose JSON is an artifact, and which has the reference in its place; null of none.
alter table stage_cache add column stored json;
alter table kept_node add column stored json;
