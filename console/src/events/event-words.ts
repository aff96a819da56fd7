import type { AnyEvent } from '@signet/management'
import { sayFailure } from '../outcomes/outcome-words.ts'
import { eventNames } from '../webhooks/trigger-kinds.ts'

/** What a list of events is filtered by: a name, or the beginning of several. */
export const eventFilters: readonly (readonly [string, string])[] = [
  ['Authentication*', 'Sign-ins'],
  ['Person*', 'Persons created or deleted'],
  ...eventNames.map((name) => [name, name] as const),
]

/** What a line of a list says of an event besides its name: the words of its own fields. */
export function summaryOf(event: AnyEvent): string {
  if ('success_authn_method' in event) return `by ${event.success_authn_method}`
  if ('failed_authn_method' in event) return sayFailure(event.failure_reason)
  if ('handles' in event) return event.handles.map(({ value }) => value).join(', ') || 'without handles'
  if ('browser_metadata' in event) return event.browser_metadata?.window_location ?? ''
  return `in region ${event.region}`
}

/** Where an event was noticed: the numbers of the contract. */
const sources: Record<number, string> = {
  1: 'Cloud: the service itself',
  2: 'SDK: an application or its browser',
  3: 'Gate: in front of an application',
}

export const sourceOf = ({ event_metadata: { source } }: AnyEvent) => sources[source] ?? String(source)

/** Who it is about, where that is known. */
export const personOf = (event: AnyEvent): string | undefined => ('person_id' in event ? event.person_id : undefined)
