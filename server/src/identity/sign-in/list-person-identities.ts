import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { findPerson, listIdentities, PersonPath, personIdIn } from '../persons/index.ts'
import { IdentityRecord, toIdentity } from './identity-record.ts'

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
      return identities.map(toIdentity)
    },
  })
