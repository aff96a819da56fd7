import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { badRequest, conflict, notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { closed, named, rule } from '../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { type Credential, type Credentials, findByClientId } from '../credentials/index.ts'
import {
  addIdentity,
  countIdentities,
  findPerson,
  lockPerson,
  PersonPath,
  personIdIn,
  requireStillOwner,
  requireUnguarded,
  toProviderClaims,
} from '../persons/index.ts'
import { ProviderFailure, type Providers } from '../providers/index.ts'
import { IdentityRecord, toIdentity } from './identity-record.ts'

/** Of a person; sign-ins add at most one for each provider that the organization has. */
const maxIdentities = 100

const NewIdentity = named(
  'NewIdentity',
  closed({
    oauth_client_id: Type.String({
      description: 'The client id of the credential with which the person will sign in.',
      examples: ['8c1f2a7e.apps.example.com'],
    }),
    subject: Type.String({
      minLength: 1,
      maxLength: 255,
      ...rule('must be 1 to 255 characters'),
      description:
        'The permanent id of the person at the provider, as `GET /persons/{person_id}/identities` shows it. For provider_g: the object ' +
        'id of the person, and where the credential is of no single tenant, the GUID of the tenant and a colon before it.',
      examples: ['117926493081204417953'],
    }),
  }),
)

type Dependencies = { database: Database; clock: Clock; credentials: Credentials; providers: Providers }

export const addPersonIdentity = ({ database, clock, credentials, providers }: Dependencies) =>
  operation({
    id: 'addPersonIdentity',
    method: 'POST',
    path: '/persons/:person_id/identities',
    scope: 'persons:write',
    adminOnly: true,
    tag: 'Persons',
    summary: 'Add an identity to a person',
    description:
      'The first sign-in with that account is of this person. A conflict where somebody has that identity, or the person has another one ' +
      'at its issuer. One that was removed may be added again. No event is published.',
    params: PersonPath,
    body: NewIdentity,
    status: 201,
    result: IdentityRecord,
    refusals: [409],
    handle: async ({ organizationId, principal, record, params, body }) => {
      const personId = personIdIn(params)
      const [person, stored] = await Promise.all([
        findPerson(database.read, organizationId, personId),
        findByClientId(database.read, organizationId, body.oauth_client_id),
      ])
      if (!person) throw notFound('person')
      const credential = stored && (await credentials.findToTest(organizationId, stored.id))
      if (!credential)
        throw badRequest('unknown_reference', 'oauth_client_id: must be that of a credential of this organization')
      const { issuer, subject } = await name(credential, body.subject, providers)
      const now = clock.now()
      const key = { provider: credential.provider, issuer, subject }
      const identity = { id: makeId(now), ...key, credentialId: credential.id, createdAt: toTimestamp(now) }
      return database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { personId })
        await requireStillOwner(tx, organizationId, principal)
        if (!(await lockPerson(tx, organizationId, personId))) throw notFound('person')
        const [count, isAdded] = await Promise.all([
          countIdentities(tx, organizationId, personId),
          addIdentity(tx, organizationId, personId, { ...identity, ...toProviderClaims({ emailVerified: false }) }),
        ])
        if (count >= maxIdentities)
          throw conflict('limit_reached', `person: has ${maxIdentities} identities, which is the limit`)
        if (!isAdded)
          throw conflict(
            'already_exists',
            'subject: is an identity of somebody already, or the person has another one at its issuer',
          )
        const added = { id: identity.id, ...key, email: null, created_at: new Date(now) }
        const target = { type: 'identity' as const, id: identity.id }
        await tx.last(() => record(tx, organizationId, { target, after: { ...added, person_id: personId } }))
        return toIdentity(added)
      })
    },
  })

async function name(credential: Credential, subject: string, providers: Providers) {
  const named = await providers.nameIdentity({ credential, subject }).catch((error) => {
    if (!(error instanceof ProviderFailure)) throw error
    throw conflict(
      'tenant_not_known',
      'oauth_client_id: its provider does not tell the issuer of its tenant; test the credential',
    )
  })
  if ('rule' in named) throw badRequest('invalid_value', `subject: ${named.rule}`)
  return named
}
