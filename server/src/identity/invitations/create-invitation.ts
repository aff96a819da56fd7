import type { Database } from '../../ground/database/database.ts'
import { lockOrganization } from '../../ground/database/lock-organization.ts'
import { badRequest, conflict, keyNotValid } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { closed, named } from '../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { makeOrganizationToken } from '../../ground/runtime/organization-token.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'
import {
  type FindKept,
  holdConsoleAccess,
  type IsOwner,
  linkLifetime,
  readLinkLifetime,
  requireStill,
} from '../organizations/index.ts'
import { GroupName, refuseKept } from '../persons/groups/index.ts'
import { CreatedInvitation, targetOf, toRecord } from './invitation-record.ts'
import { countOpenInvitations, forgetOldestClosed, insertInvitation } from './invitation-store.ts'

const maxOpen = 100

const NewInvitation = named(
  'NewConsoleInvitation',
  closed(
    { group: GroupName, expires_in: linkLifetime },
    { examples: [{ group: 'administrators', expires_in: '72h' }] },
  ),
)

type Dependencies = { database: Database; clock: Clock; baseUrl: string; isOwner: IsOwner; findKept: FindKept }

export const createInvitation = ({ database, clock, baseUrl, isOwner, findKept }: Dependencies) =>
  operation({
    id: 'createConsoleInvitation',
    method: 'POST',
    path: '/organizations/console-invitations',
    scope: 'settings:write',
    adminOnly: true,
    recentSignIn: true,
    tag: 'Organization settings',
    summary: 'Invite an administrator to the console',
    description:
      'Send its `url`, which is shown this once, to one person: they open it, sign in, and join the group, which `console_access` ' +
      'must name. Who is unknown becomes a person, whatever the settings say of registration. An invitation works once. An ' +
      `organization has at most ${maxOpen} open ones (409), and none for a group that a directory keeps (409). It ends, too, when \`console_access\` names its group no more.`,
    body: NewInvitation,
    rules: [({ body }) => readLinkLifetime(body.expires_in)],
    status: 201,
    result: CreatedInvitation,
    confidentialOf: 'id',
    refusals: [409],
    handle: async ({ organizationId, principal, record, body: { group, expires_in } }) => {
      const now = clock.now()
      const token = makeOrganizationToken(organizationId)
      const times = { created_at: new Date(now), expires_at: new Date(now + readLinkLifetime(expires_in)) }
      const invitation = { id: makeId(now), group, ...times }
      const after = toRecord(invitation)
      await database.transaction(async (tx) => {
        await holdConsoleAccess(tx, organizationId)
        if (!(await lockOrganization(tx, organizationId))) throw keyNotValid()
        await requireStill(tx, organizationId, principal, isOwner)
        await refuseKept(findKept, tx, organizationId, [group])
        if ((await countOpenInvitations(tx, organizationId, toTimestamp(now))) >= maxOpen) throw tooMany()
        await forgetOldestClosed(tx, organizationId, toTimestamp(now))
        if (!(await insertInvitation(tx, organizationId, invitation, hashOf(token)))) throw groupNotNamed()
        await record(tx, organizationId, { target: targetOf(invitation.id), after: { ...after, url: '***' } })
      })
      return { ...after, url: `${baseUrl}/console/invitation#${token}` }
    },
  })

const tooMany = () =>
  conflict('limit_reached', `console invitations: there are ${maxOpen} open ones already; delete one`)
const groupNotNamed = () => badRequest('invalid_value', 'group: must be a group that the setting console_access names')
