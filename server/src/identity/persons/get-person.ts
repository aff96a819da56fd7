import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { PersonPath, PersonRecord, personIdIn } from './person-record.ts'
import { findPerson } from './person-store.ts'

export const getPerson = ({ database }: { database: Database }) =>
  operation({
    id: 'getPerson',
    method: 'GET',
    path: '/persons/:person_id',
    scope: 'persons:read',
    tag: 'Persons',
    summary: 'Get a person',
    params: PersonPath,
    result: PersonRecord,
    handle: async ({ organizationId, params }) => {
      const person = await findPerson(database.read, organizationId, personIdIn(params))
      if (!person) throw notFound('person')
      return person
    },
  })
