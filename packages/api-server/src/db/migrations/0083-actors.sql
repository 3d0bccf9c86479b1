-- How whoever did something was signed in; until now there were sessions alone.
update engine_event set actor = (actor::jsonb || '{"via": "session", "name": null}')::json where actor is not null;
