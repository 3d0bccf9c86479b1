-- Each class of runs has its own line: where the planner knows nothing of the runs yet, an index on both was no better to it than
-- that of all runs, and a claim of heavy ones read every light one that waited.
drop index run_admission_of_class;
create index run_admission_of_heavy on run (priority desc, created_at) where status = 'queued' and heavy;
create index run_admission_of_light on run (priority desc, created_at) where status = 'queued' and not heavy;
