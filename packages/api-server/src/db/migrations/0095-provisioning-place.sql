-- A request is of a provisioner at one cluster: the id of a job means nothing at another one.
alter table provision_request add column place text not null default '';
alter table provision_request alter column place drop default;
drop index provision_request_outstanding;
create unique index provision_request_outstanding on provision_request (provisioner, place, profile)
  where state in ('submitting', 'pending', 'cancelling');
