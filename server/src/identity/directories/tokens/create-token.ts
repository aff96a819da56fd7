import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { badRequest } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, named, orAbsent } from '../../../ground/http/chain/schemas.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { type IsOwner, requireStill } from '../../organizations/index.ts'
import { DirectoryPath, directoryIdIn, noSuchDirectory } from '../directory-record.ts'
import { lockDirectory } from '../directory-store.ts'
import { addToken, maxTokens } from './add-token.ts'
import { CreatedToken, tokenFields } from './token-record.ts'

const NewToken = named(
  'NewDirectoryToken',
  closed({
    name: Type.Optional(orAbsent(tokenFields.name)),
    expires_at: Type.Optional(orAbsent(tokenFields.expires_at)),
  }),
)

type Dependencies = { database: Database; clock: Clock; isOwner: IsOwner }

export const createToken = ({ database, clock, isOwner }: Dependencies) =>
  operation({
    id: 'createDirectoryToken',
    method: 'POST',
    path: '/organizations/directories/:id/tokens',
    scope: 'directories:write',
    adminOnly: true,
    recentSignIn: true,
    tag: 'Directories',
    summary: 'Create a token of a directory',
    description:
      'The token is shown this once. It opens nothing but `scim_url` of this directory. Several may be valid at once, so that they can be ' +
      `changed without a gap: at most ${maxTokens} (409). Expired ones are removed to make room.`,
    params: DirectoryPath,
    body: NewToken,
    rules: [({ body }) => readExpiry(body.expires_at, clock.now())],
    status: 201,
    result: CreatedToken,
    confidentialOf: 'id',
    refusals: [409],
    handle: async ({ organizationId, principal, record, params, body }) => {
      const directoryId = directoryIdIn(params)
      const now = clock.now()
      const given = { name: body.name ?? null, expires_at: readExpiry(body.expires_at, now) }
      return database.transaction(async (tx) => {
        if (!(await lockDirectory(tx, organizationId, directoryId))) throw noSuchDirectory()
        await requireStill(tx, organizationId, principal, isOwner)
        return addToken(tx, organizationId, directoryId, given, { now, record })
      })
    },
  })

function readExpiry(text: string | null | undefined, now: number): Date | null {
  if (text === null || text === undefined) return null
  const time = Date.parse(text)
  if (time <= now) throw badRequest('invalid_value', 'expires_at: must be in the future')
  return new Date(time)
}
