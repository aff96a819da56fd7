import { isIP } from 'node:net'
import { type Static, Type } from 'typebox'
import { createNewest, eventsPerLook, maxLooks } from '../../../delivery/feed/index.ts'
import type { Database } from '../../../ground/database/database.ts'
import { badRequest } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { rule, Timestamp, Uuid } from '../../../ground/http/chain/schemas.ts'
import type { Positions } from '../../../ground/positions/index.ts'
import { canonicalAddress } from '../../../ground/runtime/canonical-address.ts'
import { clientIdsOfCredentials } from '../../credentials/index.ts'
import { type HandleHashes, parseHandle } from '../../persons/index.ts'
import { failureCodes } from '../authentication-events.ts'
import { type Filters, signInColumns, wantedOf } from './history-store.ts'
import { SignInRecord, type SignInRow, statuses, toRecord } from './sign-in-record.ts'

type Dependencies = { database: Database; positions: Positions; handleHashes: HandleHashes }

const Query = Type.Object({
  person_id: Type.Optional({ ...Uuid, description: 'Only those of this person, who may have been deleted since.' }),
  status: Type.Optional(
    Type.Enum([...statuses], { ...rule(`must be one of ${statuses.join(', ')}`), description: 'How it ended.' }),
  ),
  failure_reason: Type.Optional(
    Type.Enum([...failureCodes], {
      ...rule(`must be one of ${failureCodes.join(', ')}`),
      description: 'Only those that failed for this reason.',
    }),
  ),
  handle: Type.Optional(
    Type.String({
      maxLength: 300,
      ...rule('must be EmailAddress: or PhoneNumber: followed by a value of that type'),
      description:
        'Only those with this address, also where nobody was recognised: its type, a colon and its value. A blank stands for `+`. ' +
        'Found under the master keys that the service has now.',
      examples: ['EmailAddress:jo@example.com'],
    }),
  ),
  client_ip_address: Type.Optional(
    Type.String({
      maxLength: 45,
      ...rule('must be an IP address'),
      description: 'Only those from this address, however it is written.',
      examples: ['203.0.113.7'],
    }),
  ),
  since: Type.Optional({ ...Timestamp, description: 'Only those that ended at this moment or later.' }),
  until: Type.Optional({ ...Timestamp, description: 'Only those that ended before this moment.' }),
})

export const listSignIns = ({ handleHashes, ...dependencies }: Dependencies) => {
  const newest = createNewest(dependencies, 'sign-ins')
  return operation({
    id: 'listSignIns',
    method: 'GET',
    path: '/organizations/sign-ins',
    scope: ['events:read', 'persons:read'],
    tag: 'Events',
    summary: 'List the sign-ins',
    description:
      'The newest first, those that failed among them: one for each sign-in that ended, as long as its event is kept. What matches all ' +
      'filters. What stands after a sign-in that was shown once stays so. With several filters it compares ' +
      `${eventsPerLook * maxLooks} sign-ins at most, so a page may have fewer than \`limit\`, or none, and \`meta.next\` all the ` +
      'same: go on until it is absent.',
    query: Query,
    refusals: [410],
    result: SignInRecord,
    paged: 'cursor',
    handle: async ({ organizationId, query: { limit, after, since, until, ...asked } }) => {
      const wanted = wantedOf(readFilters(organizationId, asked, handleHashes))
      if (wanted === 'none') return { items: [], next: undefined }
      const search = { ...wanted, limit, after, since, until, columns: signInColumns }
      const { rows, next } = await newest.read<SignInRow>(organizationId, search)
      const credentialIds = new Set(rows.flatMap(({ credential_id }) => credential_id ?? []))
      const oauthClientIds = await clientIdsOfCredentials(dependencies.database.pages, organizationId, [
        ...credentialIds,
      ])
      return { items: rows.map((row) => toRecord(row, oauthClientIds)), next }
    },
  })
}

type Asked = Omit<Static<typeof Query>, 'since' | 'until'>

function readFilters(organizationId: string, { handle, person_id, ...asked }: Asked, hashes: HandleHashes): Filters {
  const read = handle === undefined ? undefined : parseHandle(handle)
  if (handle !== undefined && !read)
    throw badRequest('invalid_value', 'handle: must be EmailAddress: or PhoneNumber: followed by a value of that type')
  const { client_ip_address: address } = asked
  if (address !== undefined && isIP(address) === 0)
    throw badRequest('invalid_value', 'client_ip_address: must be an IP address')
  return {
    personId: person_id?.toLowerCase(),
    status: asked.status,
    reason: asked.failure_reason,
    hashes: read && hashes.allOf(organizationId, read.type, read.value),
    clientAddress: address === undefined ? undefined : canonicalAddress(address),
  }
}
