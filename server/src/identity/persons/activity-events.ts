import { analyticsOf, type NewEvent } from '../../delivery/events/index.ts'
import type { Caller } from '../../ground/http/chain/operation.ts'
import type { Person } from './person-store.ts'

type Active = Pick<Person, 'person_id' | 'region' | 'active'>

/** None where the person is as before. */
export function activityEvents(caller: Caller, before: Active, { active }: Pick<Person, 'active'>): NewEvent[] {
  if (active === before.active) return []
  const name = active ? 'PersonActivated_v1' : 'PersonDeactivated_v1'
  const { person_id, region } = before
  return [{ name, content: { analytics_metadata: analyticsOf(caller), person_id, region, reason: caller.by } }]
}
