-- Handles are compared in NFC (RFC 8265): `jose` with a combining accent and `josé` are one address. Keys of earlier releases are
-- composed here; their ASCII letters are in lower case, but composing may give another (U+212A becomes K).
-- Where two persons, or one, have one address in two spellings, one keeps it: whoever has it composed, else the one who is vouched for,
-- else the older one. The other handle stays with its person, with its old key: it is shown, and no search and no sign-in finds
-- anybody by it until it is written anew, which is a conflict as long as the first has the address. Nobody loses a handle.
with composed as (
  select org_id, type, key, translate(normalize(key, nfc), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') as new_key,
         verified, person_id
    from handles where type = 'EmailAddress' and key is not nfc normalized
), chosen as (
  select distinct on (org_id, new_key) org_id, type, key, new_key
    from composed c
   where not exists (select from handles h where h.org_id = c.org_id and h.type = c.type and h.key = c.new_key)
   order by org_id, new_key, verified desc, person_id, key
)
update handles h set key = chosen.new_key
  from chosen where h.org_id = chosen.org_id and h.type = chosen.type and h.key = chosen.key;
