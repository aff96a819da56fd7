import type { Queries } from '../../ground/database/database.ts'
import { numberIn } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import type { Page } from '../../ground/http/chain/operation.ts'
import { paged } from '../../ground/http/chain/paged.ts'
import { sessionHasEnded } from '../issuer/index.ts'

export type PersonSession = {
  id: string
  created_at: Date
  last_used_at: Date
  /** Null: the credential was deleted. */
  oauth_client_id: string | null
  applications: string[]
  client_ip_address: string
  user_agent: string
}

const ofPerson = (organizationId: string, personId: string, now: string) => fragment`
      from issuer_sessions s
     where s.org_id = ${organizationId} and s.person_id = ${personId} and s.expires_at > ${now} and not ${sessionHasEnded}`

/** The one that was used last first. */
export const pageOfSessions = (
  queries: Queries,
  organizationId: string,
  { personId, now }: { personId: string; now: string },
  { limit, offset }: Page,
) =>
  paged(
    queries.rows(sql<PersonSession>`
    select s.uid as id, s.created_at, s.last_used_at, s.client_ip_address, s.user_agent,
           (select c.client_id from oidc_credentials c where c.org_id = s.org_id and c.id = s.credential_id) as oauth_client_id,
           array(select json_object_keys(s.payload -> 'authorizations') as client_id order by client_id) as applications
    ${ofPerson(organizationId, personId, now)}
     order by s.last_used_at desc, s.uid limit ${limit} offset ${offset}`),
    numberIn(queries)(sql`select count(*) ${ofPerson(organizationId, personId, now)}`),
  )
