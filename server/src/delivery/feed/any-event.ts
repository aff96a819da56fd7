import { Type } from 'typebox'
import { named } from '../../ground/http/chain/schemas.ts'
import { eventNames, exampleOfEvent } from '../events/index.ts'

/** The schemas of events stand in the document for webhooks already. */
export const AnyEvent = named(
  'AnyEvent',
  Type.Unsafe<unknown>({
    anyOf: eventNames.map((name) => ({ $ref: `#/components/schemas/${name}` })),
    description: 'An event, as webhooks get it: `event_metadata.event_name` tells which.',
    examples: [exampleOfEvent('PersonCreated_v1')],
    'x-columns': {
      'event_metadata.event_id': 'event_metadata.event_id',
      'event_metadata.event_name': 'event_metadata.event_name',
      'event_metadata.timestamp': 'event_metadata.timestamp',
      'event_metadata.is_test_event': 'event_metadata.is_test_event',
      person_id: 'person_id',
      region: 'region',
      event: '',
    },
  }),
)
