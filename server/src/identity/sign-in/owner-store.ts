import type { Queries } from '../../ground/database/database.ts'
import { hasRow } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'

/**
 * Whether somebody in a group of owners is active, and has an identity at a provider for which there is a credential that is active. That
 * the provider itself is up, or lets the person in, nobody knows beforehand; nor is it seen that a credential was pointed elsewhere.
 */
export const hasOwner = (queries: Queries, organizationId: string) =>
  hasRow(queries)(sql`
    select from console_access a
      join memberships m on m.org_id = a.org_id and m.group_name = a.group_name
      join persons p on p.org_id = m.org_id and p.id = m.person_id
     where a.org_id = ${organizationId} and a.role = 'owner' and p.active
       and exists (
         select from identities i join oidc_credentials c on c.org_id = i.org_id and c.provider = i.provider
          where i.org_id = p.org_id and i.person_id = p.id and c.active
            and (c.id = i.credential_id or coalesce(c.options ->> 'issuer', c.options ->> 'organization_url', i.issuer) = i.issuer))
     limit 1`)

/** Whether this person is in a group of owners, and active. By what they would sign in is not asked: they have. */
export const isOwner = (queries: Queries, organizationId: string, personId: string) =>
  hasRow(queries)(sql`
    select from persons p join memberships m on m.org_id = p.org_id and m.person_id = p.id
           join console_access a on a.org_id = m.org_id and a.group_name = m.group_name
     where p.org_id = ${organizationId} and p.id = ${personId} and p.active and a.role = 'owner' limit 1`)
