import pg from 'pg'
import type { Connection } from '../../../server/tests/support/database.ts'
import { core } from '../../../server/tests/support/pushing.ts'
import type { Client, Organization } from '../../../server/tests/support/signet.ts'

/** Of those who are there: tests count persons and groups. */
type Kept = { person: string; group: string }

/** A directory that keeps a person and a group, and of which something was refused; and one that nobody has connected. */
export async function addDirectory(database: Connection, client: Client, organization: Organization, kept: Kept) {
  const make = async (path: string, body: object) =>
    (await client.as(organization, 'POST', `/organizations/directories${path}`, body)).body.result
  await make('', { name: 'Fabrikam' })
  const { id } = await make('', { name: 'Contoso staff', email_domains: ['contoso.example'], group_prefix: 'contoso-' })
  const { token } = await make(`/${id}/tokens`, { name: 'Okta' })
  await make(`/${id}/links`, { name: 'Entra' })
  const { url } = await make(`/${id}/links`, { name: 'Okta, the next' })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
  for (const user of [{}, { userName: 'jo', emails: [{ value: 'no address' }] }])
    await client.call('POST', `/scim/${organization.id}/v2/Users`, headers, { schemas: [core], ...user })
  await keep(database, [organization.id, id], kept)
  return { contoso: id, directoryLink: url.split('#')[1] }
}

async function keep(database: Connection, directory: string[], { person, group }: Kept) {
  const connection = new pg.Client(database)
  await connection.connect()
  await connection.query(
    `insert into directory_users
            (org_id, person_id, directory_id, user_name, user_name_key, external_id, adopted, attributes, created_at, updated_at)
     values ($1, $3, $2, 'leslie', 'leslie', '00u1a2b3c4d5e6f7g8h9', true, '{}', now(), now())`,
    [...directory, person],
  )
  await connection.query(
    `insert into directory_groups
            (org_id, directory_id, id, group_name, display_name, display_key, tied, members_count, created_at, updated_at)
     select $1, $2, gen_random_uuid(), $3, 'Équipe R&D / Köln', 'équipe r&d / köln', true, count(*), now(), now()
       from memberships where org_id = $1 and group_name = $3`,
    [...directory, group],
  )
  await connection.end()
}
