import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { badRequest } from '../../ground/errors.ts'
import { operation, type Principal } from '../../ground/http/chain/operation.ts'
import { Timestamp } from '../../ground/http/chain/schemas.ts'
import { covers } from '../../ground/http/chain/scopes.ts'
import { endOfNewest, type Positions } from '../../ground/positions/index.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { AuditEntryRecord, actorTypes, toRecord } from './entry-record.ts'
import { type Filters, hasReached, newestPosition, pageOfEntries } from './entry-store.ts'
import { findNames, type NamesOf } from './names.ts'

type Dependencies = {
  database: Database
  positions: Positions
  /** Whether it is the id of an operation. */
  isAction: (text: string) => boolean
  namesOf: NamesOf
}

const query = Type.Object({
  action: Type.Optional(
    Type.String({ description: 'Only what this operation did: its id.', examples: ['createApiKey'] }),
  ),
  actor: Type.Optional(
    Type.String({
      description: `Only what this actor did: the id of a key, link, person or directory, or all of one type: ${actorTypes.join(', ')}.`,
      examples: ['0199a3f2-5c00-7000-8000-0242ac120002'],
    }),
  ),
  target: Type.Optional(
    Type.String({
      description: 'Only what was done to this: the id of the target of an entry, of groups the name.',
      examples: ['engineering'],
    }),
  ),
  since: Type.Optional({ ...Timestamp, description: 'The first moment of the span.' }),
  until: Type.Optional({ ...Timestamp, description: 'The moment at which the span is over.' }),
})

export const listAuditEntries = ({ database, positions, isAction, namesOf }: Dependencies) => {
  const cursors = positions.cursors('the audit log', hasReached(database.pages))
  return operation({
    id: 'listAuditEntries',
    method: 'GET',
    path: '/organizations/audit-log',
    scope: 'audit-log:read',
    tag: 'Audit log',
    summary: 'List the entries of the audit log',
    description:
      'The newest first. An entry is written in the transaction of its change, and shows from the moment at which none can come ' +
      'before it any more: what stands after an entry that was shown once stays so.',
    query,
    refusals: [410],
    result: AuditEntryRecord,
    paged: 'cursor',
    handle: async ({ organizationId, principal, query: { after, limit, ...asked } }) => {
      const filters = readFilters(asked, isAction)
      const cursor = after === undefined ? Number.MAX_SAFE_INTEGER : await cursors.read(organizationId, after)
      const end = await endOfNewest(positions, await newestPosition(database.pages, organizationId))
      const page = { before: Math.min(cursor, end + 1), limit: limit + 1 }
      const entries = await pageOfEntries(database.pages, organizationId, filters, page)
      const items = entries.slice(0, limit)
      const next = entries.length > limit ? items.at(-1)?.position : undefined
      const names = await findNames(database.pages, organizationId, items, {
        namesOf,
        mayNamePersons: mayReadPersons(principal),
      })
      return {
        items: items.map((entry) => toRecord(entry, names)),
        next: next === undefined ? undefined : await cursors.write(next),
      }
    },
  })
}

/** Their names and handles are of persons, whatever shows them. */
const mayReadPersons = (principal: Principal | undefined) =>
  principal !== undefined && covers(principal.scopes, 'persons:read')

type Asked = { [Name in keyof Filters]?: string }

function readFilters({ action, actor, target, since, until }: Asked, isAction: Dependencies['isAction']): Filters {
  const isKnown = actor === undefined || actorTypes.some((type) => type === actor) || isUuid(actor)
  const problems = [
    ...(action === undefined || isAction(action) ? [] : ['action: must be the id of an operation']),
    ...(isKnown ? [] : [`actor: must be an id, or one of ${actorTypes.join(', ')}`]),
    ...(since && until && Date.parse(since) > Date.parse(until) ? ['since: must not be after until'] : []),
  ]
  if (problems.length > 0) throw badRequest('invalid_value', ...problems)
  return {
    action,
    actor: actor === undefined ? undefined : readActor(actor),
    target: target && isUuid(target) ? target.toLowerCase() : target,
    since: readTime(since),
    until: readTime(until),
  }
}

const readActor = (text: string) => (isUuid(text) ? { id: text.toLowerCase() } : { type: text })

const readTime = (text: string | undefined) => (text === undefined ? undefined : toTimestamp(Date.parse(text)))
