-- Where devices are connected: a row for each engine that has a socket of the device, or has heard of it through the portal
-- within a minute. It counts as long as its engine is in contact.
create table device_attachment (
  device text not null references device on delete cascade,
  engine uuid not null references engine on delete cascade,
  primary key (device, engine)
);
