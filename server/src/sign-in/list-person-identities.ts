import { Type } from 'typebox'
import type { Database } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findPerson, PersonPath, personIdIn } from '../persons/index.ts'
import { IdentityRecord } from './identity-record.ts'
import { listIdentities } from './identity-store.ts'

export const listPersonIdentities = ({ database }: { database: Database }) =>
  operation({
    id: 'listPersonIdentities',
    method: 'GET',
    path: '/persons/:person_id/identities',
    access: 'key',
    tag: 'Persons',
    summary: 'List the identities of a person',
    description: 'What identity providers call the person, in the order in which they were first seen.',
    params: PersonPath,
    status: 200,
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
