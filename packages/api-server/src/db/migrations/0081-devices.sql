-- Boards that are paired with the service. `version` counts what people change, reports and pairing do not.
create table device (
  id text primary key,
  name text not null,
  -- Whether a person chose the name; until then the device names itself.
  named boolean not null,
  board text,
  firmware text,
  version integer not null default 1,
  -- What the device last said that it has.
  report json,
  reported_at timestamptz,
  last_seen_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- A credential of a device: one that it was given directly, and one through the portal. No credential stands here.
create table device_credential (
  id uuid primary key,
  device text not null references device on delete cascade,
  slot text not null check (slot in ('direct', 'portal')),
  -- SHA-256 of the credential; null until the device has asked for it.
  proof bytea unique,
  created_at timestamptz not null default now(),
  -- The first use.
  used_at timestamptz,
  unique (device, slot)
);

-- Devices that ask to be paired. The secret that they poll with does not stand here.
create table pairing_request (
  id uuid primary key,
  code text not null unique,
  -- SHA-256 of the secret.
  secret_proof bytea not null,
  name text,
  board text,
  firmware text,
  portal boolean not null,
  side text not null check (side in ('lan', 'outside')),
  -- Where it was made; null for one that is adopted by its code alone.
  network text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Of the adopted request, until the credential is used; with the secret, the salt makes it.
  credential uuid unique references device_credential on delete cascade,
  salt bytea
);
create index pairing_request_by_age on pairing_request (side, created_at);
