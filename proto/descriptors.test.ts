import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { file_events_events as contract } from './gen/events/events_pb.ts'

// Written out from 6.1, not derived: a number that changes on both sides must be changed here by hand.
const metadata = { event_metadata: 1, analytics_metadata: 2 }
const messages = {
  PersonHandle: { type: 1, value: 2 },
  EventMetadata: {
    is_test_event: 1,
    event_id: 2,
    timestamp: 3,
    source: 4,
    event_type: 5,
    event_name: 6,
    event_version: 7,
    organization_id: 8,
  },
  AnalyticsMetadata: { analytics_correlation_id: 1, client_ip_address: 2 },
  BrowserMetadata: { user_agent: 1, window_location: 2 },
  EventTemplate: { event_metadata: 1 },
  AuthenticationSucceeded_v1: {
    ...metadata,
    browser_metadata: 3,
    person_id: 101,
    region: 102,
    success_authn_method: 103,
    authenticated_methods: 104,
  },
  AuthenticationFailed_v1: {
    ...metadata,
    browser_metadata: 3,
    person_id: 101,
    region: 102,
    authenticated_methods: 103,
    failed_authn_method: 104,
    failure_reason: 105,
  },
  VirtualPageLoaded_v1: { ...metadata, browser_metadata: 3, person_id: 101, region: 102 },
  PersonCreated_v1: { ...metadata, person_id: 101, region: 102 },
  PersonDeleted_v1: { event_metadata: 1, person_id: 101, region: 102, handles: 103, groups: 104 },
  PersonDeactivated_v1: { ...metadata, person_id: 101, region: 102, reason: 103 },
  PersonActivated_v1: { ...metadata, person_id: 101, region: 102, reason: 103 },
  PersonGroupsChanged_v1: { ...metadata, person_id: 101, region: 102, added: 103, removed: 104 },
}
const enums = {
  EventSource: { EventSource_UNSPECIFIED: 0, Cloud: 1, SDK: 2, Gate: 3 },
  EventTypes: {
    EventType_UNSPECIFIED: 0,
    AuthenticationSucceeded: 1,
    AuthenticationFailed: 2,
    VirtualPageLoaded: 3,
    PersonCreated: 4,
    PersonDeleted: 5,
    PersonDeactivated: 6,
    PersonActivated: 7,
    PersonGroupsChanged: 8,
  },
  PersonHandleType: { EmailAddress: 0, PhoneNumber: 1 },
}

/** Of every field that is no plain string. */
const types: Record<string, string> = {
  'EventMetadata.is_test_event': 'bool',
  'EventMetadata.source': 'EventSource',
  'EventMetadata.event_version': 'uint64',
  'PersonHandle.type': 'PersonHandleType',
  'PersonDeleted_v1.handles': 'repeated PersonHandle',
  'PersonDeleted_v1.groups': 'repeated string',
  'PersonGroupsChanged_v1.added': 'repeated string',
  'PersonGroupsChanged_v1.removed': 'repeated string',
  'AuthenticationSucceeded_v1.authenticated_methods': 'repeated string',
  'AuthenticationFailed_v1.authenticated_methods': 'repeated string',
}
const metadataTypes: Record<string, string> = {
  event_metadata: 'EventMetadata',
  analytics_metadata: 'AnalyticsMetadata',
  browser_metadata: 'BrowserMetadata',
}

const numbersOf = (numbered: readonly { name: string; number: number }[]) =>
  Object.fromEntries(numbered.map(({ name, number }) => [name, number]))

const typeOf = (field: DescField) =>
  (field.fieldKind === 'list' ? 'repeated ' : '') +
  (field.message?.name ?? field.enum?.name ?? ScalarType[field.scalar as ScalarType].toLowerCase())

const fields = contract.messages.flatMap((message: DescMessage) => message.fields)
const qualified = (field: DescField) => `${field.parent.name}.${field.name}`
const events = contract.messages.filter(({ name }) => /_v\d+$/.test(name))

describe('The event contract of 6.1', () => {
  // Proves 6.1/1.
  test('The events are declared in package events', () => expect(contract.proto.package).toBe('events'))

  // Proves 6.1/6, 6.1/9, 6.1/10, 6.1/11, 6.1/12, 6.1/14, 6.1/16.
  test("The messages have the contract's fields and field numbers", () => {
    const actual = contract.messages.map(({ name, fields }) => [name, numbersOf(fields)])
    expect(Object.fromEntries(actual)).toEqual(messages)
  })

  // Proves 6.1/3, 6.1/5.
  test("The enums have the contract's values", () => {
    const actual = contract.enums.map(({ name, values }) => [name, numbersOf(values)])
    expect(Object.fromEntries(actual)).toEqual(enums)
  })

  test("The fields have the contract's types", () => {
    for (const field of fields) {
      const name = qualified(field)
      expect(typeOf(field), name).toBe(types[name] ?? metadataTypes[field.name] ?? 'string')
    }
  })

  test('The optional fields are the scalars that 6.1 marks "only if"', () => {
    expect(fields.filter(({ proto }) => proto.proto3Optional).map(qualified)).toEqual([
      'AuthenticationFailed_v1.person_id',
      'AuthenticationFailed_v1.region',
      'VirtualPageLoaded_v1.person_id',
      'VirtualPageLoaded_v1.region',
    ])
  })

  // Proves 6.1/2.
  test('Every field has the same name in JSON as in the contract', () => {
    for (const field of fields) expect(field.jsonName, qualified(field)).toBe(field.name)
  })
})

describe('The assumptions of the JSON form', () => {
  test('The versioned events are those of EventTypes', () => {
    const kinds = new Set(events.map(({ name }) => name.replace(/_v\d+$/, '')))
    expect(['EventType_UNSPECIFIED', ...kinds]).toEqual(Object.keys(enums.EventTypes))
  })

  test.each(events.map((event) => [event.name, event] as const))('%s has event_metadata as field 1', (_, event) => {
    const first = event.fields.find(({ number }) => number === 1)
    expect([first?.name, first?.message?.name]).toEqual(['event_metadata', 'EventMetadata'])
  })

  test('The only 64-bit field is event_version', () => {
    const wide = [ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64, ScalarType.FIXED64, ScalarType.SFIXED64]
    const found = fields.filter(({ scalar }) => scalar !== undefined && wide.includes(scalar))
    expect(found.map(qualified)).toEqual(['EventMetadata.event_version'])
  })

  test('Every scalar outside EventMetadata is a string', () => {
    const scalars = fields.filter(({ parent, scalar }) => parent.name !== 'EventMetadata' && scalar !== undefined)
    for (const field of scalars) expect(field.scalar, qualified(field)).toBe(ScalarType.STRING)
  })

  test('Fields are written in the order of their numbers', () => {
    for (const { name, fields } of contract.messages) {
      const numbers = fields.map(({ number }) => number)
      expect(numbers, name).toEqual(numbers.toSorted((a, b) => a - b))
    }
  })
})
