-- Bytes of all that a node has printed, of which `logs` is the end. Null of records from before: what they kept is all that
-- is known.
alter table run_node add column log_bytes int8;
update run_node set log_bytes = run_track.log_bytes from run_track where run_track.run = run_node.run;
alter table run_track drop column log_bytes;
