-- What the nodes of connector packages keep. Values are sealed: pairing leaves tokens and keys here.
create table connector_state (
  package text not null,
  key text not null,
  sealed text not null,
  updated_at timestamptz not null default now(),
  primary key (package, key)
);
