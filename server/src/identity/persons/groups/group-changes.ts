import { analyticsOf, type NewEvent } from '../../../delivery/events/index.ts'
import type { Caller } from '../../../ground/http/chain/operation.ts'

/** Whose groups change. */
export type Member = { id: string; region: string }

/** Names of groups: all of a person, or those that matter. */
export type Sides = { before: string[]; after: string[] }

export const changesOf = ({ before, after }: Sides) => ({
  added: without(after, before),
  removed: without(before, after),
})

function without(names: string[], others: string[]): string[] {
  const known = new Set(others)
  return names.filter((name) => !known.has(name))
}

/** One event for a person and request, of what changed; none where nothing did. */
export function groupEvents(
  caller: Pick<Caller, 'correlationId' | 'clientAddress'>,
  { id, region }: Member,
  sides: Sides,
): NewEvent[] {
  const { added, removed } = changesOf(sides)
  if (added.length + removed.length === 0) return []
  const content = { analytics_metadata: analyticsOf(caller), person_id: id, region, added, removed }
  return [{ name: 'PersonGroupsChanged_v1', content }]
}
