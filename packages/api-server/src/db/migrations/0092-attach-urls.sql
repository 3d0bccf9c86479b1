-- Where workers attach to an engine; null for one that says no address.
alter table engine add column attach_url text;
