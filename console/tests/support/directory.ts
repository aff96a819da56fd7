import pg from 'pg'
import type { Connection } from '../../../server/tests/support/database.ts'
import type { Client, Organization } from '../../../server/tests/support/signet.ts'

type Kept = { person: string; group: string }

/** A directory that has been used: it keeps a person and a group, and something of it was refused. */
export async function addDirectory(
  database: Connection,
  client: Client,
  organization: Organization,
  { person, group }: Kept,
) {
  const make = async (path: string, body: object) =>
    (await client.as(organization, 'POST', `/organizations/directories${path}`, body)).body.result
  const { id } = await make('', { name: 'Contoso staff', email_domains: ['contoso.example'], group_prefix: 'contoso-' })
  await make('', { name: 'Fabrikam' })
  await make(`/${id}/tokens`, { name: 'Okta' })
  await make(`/${id}/links`, { name: 'Entra' })
  const { url } = await make(`/${id}/links`, { name: 'Okta, the next' })
  const connection = new pg.Client(database)
  await connection.connect()
  const values = [organization.id, id]
  await connection.query(
    `insert into directory_users
            (org_id, person_id, directory_id, user_name, user_name_key, external_id, adopted, attributes, created_at, updated_at)
     values ($1, $3, $2, 'jo@contoso.example', 'jo@contoso.example', '00u1a2b3c4d5e6f7g8h9', false, '{}', now(), now())`,
    [...values, person],
  )
  await connection.query(
    `insert into directory_groups
            (org_id, directory_id, id, group_name, display_name, display_key, tied, created_at, updated_at)
     values ($1, $2, gen_random_uuid(), $3, 'Équipe R&D / Köln', 'équipe r&d / köln', false, now(), now())`,
    [...values, group],
  )
  await connection.query(
    `insert into directory_refusals (org_id, id, directory_id, at, method, path, status, detail)
     values ($1, '0199a3f2-5c00-7000-8000-0242ac120009', $2, now() - interval '4 minutes', 'POST', '/Users', 409,
             'userName: is that of another user of this directory'),
            ($1, '0199a3f2-5c00-7000-8000-0242ac120001', $2, now() - interval '44 minutes', 'PATCH', '/Groups/0199a3f2-5c00-7000-8000-0242ac120002', 400,
             'members[0].value: nested groups are not supported')`,
    values,
  )
  await connection.query(`update directories set last_request_at = now() where org_id = $1 and id = $2`, values)
  await connection.end()
  return { contoso: id, directoryLink: url.split('#')[1] }
}
