-- How the pages of an organization's sign-ins look.
alter table organizations
  add column default_locale text collate "C" not null default 'en',
  add column display_name text,
  -- As #rrggbb in lower case.
  add column accent_color text collate "C" check (accent_color ~ '^#[0-9a-f]{6}$');

create table organization_logos (
  -- An earlier version does not purge this table by itself.
  org_id uuid primary key references organizations on delete cascade,
  -- SHA-256 of the picture, base64url: a part of its address, so that a browser may keep it for good.
  hash text collate "C" not null,
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
  picture bytea not null check (octet_length(picture) <= 102400)
);

-- The languages that the application asked for: its request may be over when the person comes back to it.
alter table flows add column ui_locales text;
