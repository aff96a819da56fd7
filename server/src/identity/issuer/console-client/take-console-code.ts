import type { Transaction } from '../../../ground/database/database.ts'
import { firstRow } from '../../../ground/database/rows.ts'
import { fragment, sql } from '../../../ground/database/sql.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { readOrganizationToken } from '../../../ground/runtime/organization-token.ts'
import { hashOf } from '../../../ground/runtime/secret-hash.ts'
import { issuerOf } from '../addresses.ts'
import { grantHasEnded } from '../ended-credential-store.ts'
import { consoleCallbackOf, consoleClientId, consoleMaxAge, toStoredClientId } from './console-client.ts'
import { challengeOf, consoleSecretsOf, verifierOf } from './console-cookie.ts'
import { takeConsoleSignIn } from './console-sign-in-store.ts'

/** What a browser brings back to the callback of the console: the query, and its header `Cookie`. */
export type ConsoleReturn = { parameters: URLSearchParams; cookie: string | undefined }

/** `person`: undefined where the answer has no code, or none that is good for this sign-in. `formerHash`: as the browser began it. */
export type ReturnedSignIn = {
  returnTo: string
  formerHash: Buffer | undefined
  person: { personId: string; sessionUid: string; authenticatedAt: Date } | undefined
}

/** `flowMs`: from an authorize request until the person has signed in. */
type Dependencies = { clock: Clock; baseUrl: string; isSecure: boolean; flowMs: number }

/** Which organization the answer is for, and the hash of its state. Undefined: it is none of ours, or of another issuer (RFC 9207). */
export function readConsoleReturn({ parameters }: ConsoleReturn, baseUrl: string) {
  const sent = readOrganizationToken(parameters.get('state') ?? '')
  const isOfIssuer = sent && parameters.get('iss') === issuerOf(baseUrl, sent.organizationId)
  return isOfIssuer ? sent : undefined
}

/**
 * Ends the sign-in that this browser began, and takes its code, in one transaction. Undefined: the browser began none with this state, or it
 * is over. Whatever is wrong with the code, the sign-in is over.
 */
export async function takeConsoleReturn(
  tx: Transaction,
  { organizationId, hash: stateHash }: { organizationId: string; hash: Buffer },
  { parameters, cookie }: ConsoleReturn,
  { clock, baseUrl, isSecure, flowMs }: Dependencies,
): Promise<ReturnedSignIn | undefined> {
  const secrets = consoleSecretsOf(cookie, stateHash, isSecure)
  const now = toTimestamp(clock.now())
  const looked = { stateHash, secretHashes: secrets.map(hashOf), now }
  const signIn = await takeConsoleSignIn(tx, organizationId, looked)
  const secret = secrets.find((each) => signIn && hashOf(each).equals(signIn.secretHash))
  if (!signIn || secret === undefined) return undefined
  const code = parameters.get('code')
  const challenge = challengeOf(verifierOf(secret))
  const times = { now, authenticatedSince: toTimestamp(clock.now() - consoleMaxAge * 1_000 - flowMs) }
  const taken = { codeHash: hashOf(code ?? ''), challenge, redirectUri: consoleCallbackOf(baseUrl), ...times }
  const person = code === null ? undefined : await takeCode(tx, organizationId, taken)
  return { returnTo: signIn.returnTo, formerHash: signIn.formerHash ?? undefined, person }
}

type Taken = { codeHash: Buffer; challenge: string; redirectUri: string; now: string; authenticatedSince: string }

/**
 * Removes the code with its grant: nothing is left that could be used again. The browser may have left `max_age` out of the request (OpenID
 * Connect Core, 3.1.3.7, rule 13); a sign-in that it began in time may go on for as long as a flow.
 */
const takeCode = (
  tx: Transaction,
  organizationId: string,
  { codeHash, challenge, redirectUri, now, authenticatedSince }: Taken,
) =>
  firstRow(tx)(sql<NonNullable<ReturnedSignIn['person']>>`
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
