import type { NewEvent } from '../../../delivery/events/index.ts'
import type { Transaction } from '../../../ground/database/database.ts'
import type { Caller } from '../../../ground/http/chain/operation.ts'
import { activityEvents, type EndSessions, findSwitches, switchPerson } from '../../persons/index.ts'

type Switching = { active: boolean; caller: Caller; endSessions: EndSessions }

/**
 * The person must be locked. Turns the directory's switch, and gives the event of it, if the person is active or not by that. Whoever is
 * switched off is signed out of everything.
 */
export async function switchUser(
  tx: Transaction,
  organizationId: string,
  personId: string,
  { active, caller, endSessions }: Switching,
): Promise<NewEvent[]> {
  const [before, , after] = await Promise.all([
    findSwitches(tx, organizationId, personId),
    switchPerson(tx, organizationId, personId, { directoryActive: active }),
    findSwitches(tx, organizationId, personId),
    !active && endSessions(tx, organizationId, personId),
  ])
  return before && after ? activityEvents(caller, { ...before, person_id: personId }, after) : []
}
