-- The origins of redirect URIs, as browsers write them: in lower case, without the port that goes without saying.
create function origins_of(uris text[]) returns text[] language sql immutable strict parallel safe
return array(
  select regexp_replace(lower(substring(uri from '^https?://[^/?]+')), '^(https://.*):443$|^(http://.*):80$', '\1\2')
    from unnest(uris) as uri
);

-- For the preflights of browsers, which name no organization.
create index applications_by_origin on applications using gin (origins_of(redirect_uris));
