import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import { findPerson, PersonPath, personIdIn } from '../persons/index.ts'
import { listIdentities } from './identity-store.ts'

const IdentityRecord = named(
  'Identity',
  Type.Object(
    {
      id: { ...Uuid, description: 'The id of the identity.' },
      provider: Type.String({ description: 'One of provider_a to provider_h, or oidc.', examples: ['provider_a'] }),
      issuer: Type.String({
        description: 'The issuer of the identity at the provider.',
        examples: ['https://accounts.google.com'],
      }),
      subject: Type.String({
        description: 'The permanent id of the person at the issuer.',
        examples: ['117926493081204417953'],
      }),
      email: Type.Optional(
        Type.String({
          description: 'The address that the provider sent last. It proves nothing.',
          examples: ['jo@example.com'],
        }),
      ),
      created_at: { ...Timestamp, description: 'When the person first signed in with it.' },
    },
    { description: 'A person as an identity provider knows them.' },
  ),
)

export const listPersonIdentities = ({ database }: { database: Database }) =>
  operation({
    id: 'listPersonIdentities',
    method: 'GET',
    path: '/persons/:person_id/identities',
    scope: 'persons:read',
    tag: 'Persons',
    summary: 'List the identities of a person',
    description: 'In the order of the first sign-in with each.',
    params: PersonPath,
    result: Type.Array(IdentityRecord, { description: 'All identities of the person.' }),
    handle: async ({ organizationId, params }) => {
      const personId = personIdIn(params)
      const [person, identities] = await Promise.all([
        findPerson(database.read, organizationId, personId),
        listIdentities(database.read, organizationId, personId),
      ])
      if (!person) throw notFound('person')
      return identities.map(({ email, ...identity }) => ({ ...identity, ...(email !== null && { email }) }))
    },
  })
