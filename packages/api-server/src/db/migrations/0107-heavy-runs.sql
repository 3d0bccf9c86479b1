-- Heavy runs have nodes whose code takes a process; they and the others each have places in an engine (runs/admission.ts).
-- The class of a draft is that of its flow's draft of now: it is pinned when the run is claimed.
alter table flow add column draft_heavy boolean generated always as (
  coalesce(jsonb_path_exists(draft, '$.nodes[*] ? (@.type == "python" || @.type == "code" || @.type == "exec")'), true)
) stored;
alter table run add column heavy boolean not null default true;

update run set heavy = jsonb_path_exists(run_document.document::jsonb,
  '$.nodes[*] ? (@.type == "python" || @.type == "code" || @.type == "exec")')
from run_document
where run_document.flow = run.flow and run_document.digest = run.digest and run.status = 'queued';
update run set heavy = flow.draft_heavy from flow where flow.id = run.flow and run.draft and run.status = 'queued';

create index run_admission_of_class on run (heavy, priority desc, created_at) where status = 'queued';

create function class_queued_drafts() returns trigger language plpgsql as $$
begin
  update run set heavy = new.draft_heavy where flow = new.id and draft and status = 'queued';
  return null;
end $$;
create trigger flow_draft_heavy after update on flow
  for each row when (old.draft_heavy is distinct from new.draft_heavy) execute function class_queued_drafts();
