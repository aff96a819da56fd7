import { type EventName, eventNames, madeUpEvent, toEventJson } from './event-json.ts'

type DescribedEvent = { name: EventName; example: unknown }
/** `schemas`: events and their parts by name, for the OpenAPI document. */
type DescribedEvents = { schemas: Record<string, object>; events: DescribedEvent[] }

/** Imports the schemas lazily: only the OpenAPI document needs them. */
export async function describeEvents(): Promise<DescribedEvents> {
  const { default: schemas } = await import('@signet/proto/schemas.json', { with: { type: 'json' } })
  return { schemas, events: eventNames.map((name) => ({ name, example: exampleOfEvent(name) })) }
}

const analytics = {
  analytics_correlation_id: '0199a3f2-5c00-7000-8000-0242ac120004',
  client_ip_address: '192.0.2.1',
}
const stamp = {
  eventId: '0199a3f2-5c00-7000-8000-0242ac120003',
  organizationId: '0199a3f2-5c00-7000-8000-0242ac120001',
  timestamp: '2026-11-25T09:30:00.000000000Z',
  isTestEvent: false,
}
export const exampleOfEvent = (name: EventName) => JSON.parse(toEventJson(madeUpEvent(name, analytics, {}), stamp))
