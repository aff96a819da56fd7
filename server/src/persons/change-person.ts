import { Type } from 'typebox'
import type { Database, Transaction } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { closed, named } from '../http/schemas.ts'
import { type HandleInput, Handles, judgeHandles, readHandles, refuseTaken, requireVoucher } from './handles.ts'
import { PersonPath, PersonRecord, personFields, personIdIn } from './person-record.ts'
import { findPerson, insertHandles, takeHandles, updatePerson } from './person-store.ts'

/** Ends the sessions of the person. */
type EndSessions = (tx: Transaction, organizationId: string, personId: string) => Promise<unknown>
type Dependencies = { database: Database; endSessions: EndSessions }

const PersonChanges = named(
  'PersonChanges',
  closed(
    { active: Type.Optional(personFields.active), handles: Type.Optional(Handles) },
    { examples: [{ active: false }] },
  ),
)

export const changePerson = ({ database, endSessions }: Dependencies) =>
  operation({
    id: 'changePerson',
    method: 'PATCH',
    path: '/persons/:person_id',
    access: 'key',
    scope: 'persons:write',
    tag: 'Persons',
    summary: 'Change a person',
    description:
      'What is absent stays. `handles` replaces all handles; one that the person had stays as verified as it was unless `verified` says otherwise. A handle that another person has ' +
      'is a conflict, and nothing changes. A person who is not active cannot sign in, and is signed out of everything.',
    params: PersonPath,
    body: PersonChanges,
    rules: [({ body }) => readHandles(body.handles ?? [])],
    status: 200,
    result: PersonRecord,
    refusals: [409],
    handle: async ({ organizationId, isAdmin, params, body: { active, handles: newHandles } }) => {
      const personId = personIdIn(params)
      const handles = newHandles && readHandles(newHandles)
      requireVoucher(handles ?? [], isAdmin)
      return database.transaction(async (tx) => {
        if (!(await updatePerson(tx, organizationId, personId, { active }))) throw notFound('person')
        if (active === false) await endSessions(tx, organizationId, personId)
        if (handles) await replaceHandles(tx, organizationId, personId, handles)
        return findPerson(tx, organizationId, personId)
      })
    },
  })

async function replaceHandles(tx: Transaction, organizationId: string, personId: string, newHandles: HandleInput[]) {
  const handles = judgeHandles(newHandles, await takeHandles(tx, organizationId, personId))
  refuseTaken(handles, await insertHandles(tx, organizationId, personId, handles))
}
