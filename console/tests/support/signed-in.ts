import pg from 'pg'
import type { Connection } from '../../../server/tests/support/database.ts'
import { addSession } from '../../../server/tests/support/sessions.ts'
import type { Client, Organization } from '../../../server/tests/support/signet.ts'

const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

type Where = { person: string; application: string }

/** The person is signed in to the application in two browsers, one of which an earlier release let in, and was in a third. */
export async function addSessions(
  database: Connection,
  client: Client,
  organization: Organization,
  { person, application }: Where,
) {
  // The keys of logout tokens are made when somebody first asks for them; an application does before it has a session.
  await client.call('GET', `/oidc/${organization.id}/jwks`)
  const connection = new pg.Client(database)
  await connection.connect()
  const query = (text: string, values: unknown[]) => connection.query(text, values)
  for (let count = 0; count < 3; count++) await addSession(query, organization, person, [application])
  await query(
    `update issuer_sessions set user_agent = $1, client_ip_address = '203.0.113.7'
               where id_hash in (select id_hash from issuer_sessions where person_id = $2 limit 2)`,
    [browser, person],
  )
  await connection.end()
  const sessions = `/persons/${person}/sessions`
  const { body } = await client.as(organization, 'GET', sessions)
  const known = body.result.find(({ user_agent }: { user_agent?: string }) => user_agent)
  await client.as(organization, 'DELETE', `${sessions}/${known.id}`)
  const logouts = `/organizations/applications/${application}/deliveries`
  for (let poll = 0; poll < maxPolls; poll++) {
    const { body: told } = await client.as(organization, 'GET', logouts)
    if (told.result[0]?.status === 'succeeded') return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const maxPolls = 200
