-- The cascade that a value came about in; null of values from before this file, and of those that an earlier life of the engine
-- may not have written.
alter table message_history add column cascade uuid;
