import type { Transaction } from '../../../ground/database/database.ts'
import { firstRow } from '../../../ground/database/rows.ts'
import { fragment, sql } from '../../../ground/database/sql.ts'
import { grantHasEnded } from '../ended-credential-store.ts'
import { consoleClientId, toStoredClientId } from './console-client.ts'

/** Who has signed in, by which session of the issuer, and when the provider authenticated them. */
export type ConsolePerson = { personId: string; sessionUid: string; authenticatedAt: Date }

type Taken = { codeHash: Buffer; challenge: string; redirectUri: string; now: string; authenticatedSince: string }

/**
 * Removes the code with its grant: nothing is left that could be used again. The browser may have left `max_age` out of the request (OpenID
 * Connect Core, 3.1.3.7, rule 13); a sign-in that it began in time may go on for as long as a flow.
 */
export const takeConsoleCode = (
  tx: Transaction,
  organizationId: string,
  { codeHash, challenge, redirectUri, now, authenticatedSince }: Taken,
) =>
  firstRow(tx)(sql<ConsolePerson>`
    with code as materialized (
      select grant_id from issuer_tokens
       where org_id = ${organizationId} and id_hash = ${codeHash} and kind = 'AuthorizationCode' and consumed_at is null
         and expires_at > ${now} and ${isOfConsole(redirectUri, challenge)}
    )
    delete from issuer_grants g using code
     where g.org_id = ${organizationId} and g.id = code.grant_id and g.session_uid is not null and g.authenticated_at > ${authenticatedSince}
       and not ${grantHasEnded}
    returning g.person_id as "personId", g.session_uid as "sessionUid", g.authenticated_at as "authenticatedAt"`)

const isOfConsole = (redirectUri: string, challenge: string) => fragment`
  payload ->> 'clientId' = ${toStoredClientId(consoleClientId)} and payload ->> 'redirectUri' = ${redirectUri}
  and payload ->> 'codeChallengeMethod' = 'S256' and payload ->> 'codeChallenge' = ${challenge}`
