-- Bytes that clients send to an S3-compatible store by a signed URL, until they are completed.
create table artifact_upload (
  id uuid primary key,
  digest text not null,
  size bigint not null,
  name text not null,
  media_type text not null,
  created_at timestamptz not null default now()
);
create index artifact_upload_created on artifact_upload (created_at);

-- Bytes that are being removed from such a store, by the 64 digits of their digest: what is put there meanwhile may be hit.
create table blob_removal (
  digest text primary key,
  begun_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
