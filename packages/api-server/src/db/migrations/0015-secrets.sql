-- Secrets, sealed by the engine: no statement ever sees a value.
create table secret (
  name text primary key,
  -- AES-256-GCM with the name as associated data: nonce (12 bytes), ciphertext, tag (16 bytes).
  sealed bytea not null,
  -- Fingerprint of the key.
  key_id text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  updated_by text not null
);

-- The one key under which all secrets of this database are: an engine with another one does not start.
create table secret_key (
  one boolean primary key default true check (one),
  id text not null,
  created_at timestamptz not null default now()
);
