import type { Transaction } from '../../ground/database/database.ts'
import type { Act, RecordChange } from '../../ground/http/chain/recorded-change.ts'
import type { FindKept } from '../organizations/index.ts'
import { addToGroups, type Member, type Sides } from '../persons/groups/index.ts'
import { targetOf } from './invitation-record.ts'
import { takeOpenInvitation } from './invitation-store.ts'

/** What it is called in the audit log, beside the ids of operations. */
export const acceptAction = 'acceptConsoleInvitation'

type Accepting = {
  invitationId: string
  personId: string
  /** RFC 3339. */
  now: string
  origin: Pick<Act, 'requestId' | 'clientAddress'>
  recordAs: (act: Act) => RecordChange
  findKept: FindKept
}

/**
 * Spends the invitation for a person whom this transaction has made or holds, and who joins the group with it. Gives the groups of the
 * person before and after; undefined where it was not open, or a directory keeps the group by now: then whatever was written must be rolled
 * back.
 */
export async function acceptInvitation(
  tx: Transaction,
  organizationId: string,
  { invitationId, personId, now, origin, recordAs, findKept }: Accepting,
): Promise<({ person: Member } & Sides) | undefined> {
  const taken = await takeOpenInvitation(tx, organizationId, invitationId, now)
  if (!taken) return undefined
  const { group } = taken
  // Sent together: the group is locked by then.
  const [joined, kept] = await Promise.all([
    addToGroups(tx, organizationId, personId, [group]),
    findKept(tx, organizationId, [group]),
  ])
  if (kept.length > 0) return undefined
  const actor = { type: 'person', id: personId, name: null } as const
  const record = recordAs({ ...origin, actor, action: acceptAction })
  await record(tx, organizationId, { target: targetOf(invitationId), after: { group, person_id: personId } })
  return joined
}
