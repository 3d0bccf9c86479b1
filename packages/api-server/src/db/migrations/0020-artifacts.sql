-- Stored bytes; the bytes themselves are files. Name and media type are those of the newest upload.
create table blob (
  -- sha256:<64 hexadecimal digits>
  digest text primary key,
  size int8 not null,
  name text not null,
  media_type text not null,
  -- Moved by every upload: young bytes are spared by the sweep, because their reference may be on its way.
  touched_at timestamptz not null default now()
);

-- Who needs the bytes. A row keeps the bytes from being swept.
create table blob_ref (
  digest text not null references blob,
  kind text not null,
  owner text not null,
  primary key (kind, owner, digest)
);
create index blob_ref_of_blob on blob_ref (digest);
