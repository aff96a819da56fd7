import { type DescMessage, fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf'
import { file_events_events as contract, EventTemplateSchema } from '@signet/proto'
import { describe, expect, test } from 'vitest'
import {
  type EventName,
  eventNames,
  madeUpEvent,
  type NewEvent,
  overrideProblems,
  toEventJson,
  withVersion,
} from './event-json.ts'

const stamp = {
  eventId: '0199a3f2-0000-7000-8000-000000000001',
  organizationId: '0199a3f2-0000-7000-8000-000000000002',
  timestamp: '2026-02-03T04:05:06.007250000Z',
  isTestEvent: false,
}
const analytics = { analytics_correlation_id: '0199a3f2-0000-7000-8000-000000000003', client_ip_address: '203.0.113.7' }
const payloadOf = (event: NewEvent) => JSON.parse(toEventJson(event, stamp))
const madeUp = (name: EventName) => madeUpEvent(name, analytics, {})
const schemaOf = (name: EventName) => contract.messages.find((message) => message.name === name) as DescMessage

/** The members of each payload, in the order of 6.1. */
const members = {
  AuthenticationSucceeded_v1: [
    'event_metadata',
    'analytics_metadata',
    'browser_metadata',
    'person_id',
    'region',
    'success_authn_method',
    'authenticated_methods',
  ],
  AuthenticationFailed_v1: [
    'event_metadata',
    'analytics_metadata',
    'browser_metadata',
    'person_id',
    'region',
    'authenticated_methods',
    'failed_authn_method',
    'failure_reason',
  ],
  VirtualPageLoaded_v1: ['event_metadata', 'analytics_metadata', 'browser_metadata', 'person_id', 'region'],
  PersonCreated_v1: ['event_metadata', 'analytics_metadata', 'person_id', 'region'],
  PersonDeleted_v1: ['event_metadata', 'person_id', 'region', 'handles', 'groups'],
  PersonDeactivated_v1: ['event_metadata', 'analytics_metadata', 'person_id', 'region', 'reason'],
  PersonActivated_v1: ['event_metadata', 'analytics_metadata', 'person_id', 'region', 'reason'],
  PersonGroupsChanged_v1: ['event_metadata', 'analytics_metadata', 'person_id', 'region', 'added', 'removed'],
}

describe('Names', () => {
  test('Event names are the versioned messages of the contract', () => {
    const versioned = contract.messages.map(({ name }) => name).filter((name) => /_v\d+$/.test(name))
    expect(eventNames).toEqual(versioned)
  })

  test.each(eventNames)('The event %s is found with and without version', (name) => {
    expect([withVersion(name), withVersion(name.replace('_v1', ''))]).toEqual([name, name])
  })

  test.each(['', 'PersonCreated_v2', 'personcreated', 'PersonCreated_', 'token_minted', 'toString', 'EventTemplate'])(
    'The name %j is no event',
    (name) => expect(withVersion(name)).toBeUndefined(),
  )
})

describe('The event_metadata', () => {
  // Proves 6.1/4, 9/1.
  test('The event_metadata is written in full, with numbers as numbers', () => {
    const text = toEventJson({ name: 'PersonCreated_v1', content: {} }, stamp)
    expect(text).toContain(
      '{"event_metadata":{"is_test_event":false,"event_id":"0199a3f2-0000-7000-8000-000000000001",' +
        '"timestamp":"2026-02-03T04:05:06.007250000Z","source":1,"event_type":"PersonCreated",' +
        '"event_name":"PersonCreated_v1","event_version":1,' +
        '"organization_id":"0199a3f2-0000-7000-8000-000000000002"},',
    )
  })

  test('The event_metadata marks a test event', () => {
    const text = toEventJson({ name: 'PersonCreated_v1', content: {} }, { ...stamp, isTestEvent: true })
    expect(JSON.parse(text).event_metadata.is_test_event).toBe(true)
  })

  test.each([
    ['AuthenticationSucceeded_v1', 2],
    ['AuthenticationFailed_v1', 2],
    ['VirtualPageLoaded_v1', 2],
    ['PersonCreated_v1', 1],
    ['PersonDeleted_v1', 1],
    ['PersonDeactivated_v1', 1],
    ['PersonActivated_v1', 1],
    ['PersonGroupsChanged_v1', 1],
  ] as const)('The event %s has source %i unless given otherwise', (name, source) => {
    const { event_metadata } = payloadOf({ name, content: {} })
    expect(event_metadata).toMatchObject({ source, event_name: name, event_type: name.slice(0, -3), event_version: 1 })
    expect(payloadOf({ name, source: 'Gate', content: {} }).event_metadata.source).toBe(3)
  })
})

describe('Content', () => {
  // Proves 6.1/12, 6.1/20.
  test.each(eventNames)('The content of %s holds every member in order when all is given', (name) => {
    expect(Object.keys(payloadOf(madeUp(name)))).toEqual(members[name])
  })

  test('The content shows empty members', () => {
    const browser_metadata = { user_agent: '', window_location: '' }
    const analytics_metadata = { analytics_correlation_id: '', client_ip_address: '' }
    expect(eventNames.map((name) => payloadOf({ name, content: {} }))).toEqual([
      {
        event_metadata: expect.anything(),
        analytics_metadata,
        browser_metadata,
        person_id: '',
        region: '',
        success_authn_method: '',
        authenticated_methods: [],
      },
      {
        event_metadata: expect.anything(),
        analytics_metadata,
        browser_metadata,
        failed_authn_method: '',
        failure_reason: '',
      },
      { event_metadata: expect.anything(), analytics_metadata, browser_metadata },
      { event_metadata: expect.anything(), analytics_metadata, person_id: '', region: '' },
      { event_metadata: expect.anything(), person_id: '', region: '', handles: [], groups: [] },
      { event_metadata: expect.anything(), analytics_metadata, person_id: '', region: '', reason: '' },
      { event_metadata: expect.anything(), analytics_metadata, person_id: '', region: '', reason: '' },
      { event_metadata: expect.anything(), analytics_metadata, person_id: '', region: '', added: [], removed: [] },
    ])
  })

  test('The content fills a message that is given in part', () => {
    const { analytics_metadata } = payloadOf({
      name: 'PersonCreated_v1',
      content: { analytics_metadata: { client_ip_address: '203.0.113.7' } },
    })
    expect(analytics_metadata).toEqual({ analytics_correlation_id: '', client_ip_address: '203.0.113.7' })
  })

  test('The content shows an "only if" string that is given but empty', () => {
    const content = { person_id: '', region: '' }
    expect(payloadOf({ name: 'VirtualPageLoaded_v1', content })).toMatchObject(content)
    expect(payloadOf({ name: 'AuthenticationFailed_v1', content })).toMatchObject(content)
  })

  // Proves 6.1/14.
  test('The content of AuthenticationFailed_v1 has browser_metadata only from the SDK', () => {
    const failed = { ...madeUp('AuthenticationFailed_v1'), source: 'Cloud' } as NewEvent
    const expected = members.AuthenticationFailed_v1.filter((name) => name !== 'browser_metadata')
    expect(Object.keys(payloadOf(failed))).toEqual(expected)
  })

  test('The content writes handle types as numbers, zero among them', () => {
    expect(payloadOf(madeUp('PersonDeleted_v1')).handles).toEqual([
      { type: 0, value: 'jo@example.com' },
      { type: 1, value: '+12025550123' },
    ])
  })

  test.each(eventNames)('The content of %s can be read back through the contract, as JSON and as bytes', (name) => {
    const payload = payloadOf(madeUp(name))
    const schema = schemaOf(name)
    const message = fromBinary(schema, toBinary(schema, fromJson(schema, payload)))
    const back = toJson(schema, message, { alwaysEmitImplicit: true, enumAsInteger: true })
    payload.event_metadata.event_version = '1'
    expect(back).toEqual(payload)
  })

  // Proves 6.1/20.
  test.each(eventNames)('The content of %s can be read as an EventTemplate', (name) => {
    const bytes = toBinary(schemaOf(name), fromJson(schemaOf(name), payloadOf(madeUp(name))))
    expect(fromBinary(EventTemplateSchema, bytes).eventMetadata?.eventId).toBe(stamp.eventId)
  })
})

describe('Made-up events', () => {
  const isFilled = (value: unknown): boolean =>
    typeof value === 'object' && value !== null
      ? Object.values(value).length > 0 && Object.values(value).every(isFilled)
      : value !== ''

  test.each(eventNames)('A made-up %s has every field filled', (name) => {
    const { event_metadata, ...content } = payloadOf(madeUp(name))
    expect(isFilled(content)).toBe(true)
  })

  test('Made-up events carry the analytics of the request that asks for them', () => {
    expect(payloadOf(madeUp('PersonCreated_v1')).analytics_metadata).toEqual(analytics)
  })

  test('Made-up events take overrides, which replace the whole field', () => {
    const handles = [{ type: 1, value: '+3300000000' }, { type: 'PhoneNumber' }, {}]
    const event = madeUpEvent('PersonDeleted_v1', analytics, { person_id: 'p', handles, groups: [] })
    expect(payloadOf(event)).toMatchObject({
      person_id: 'p',
      region: 'local',
      handles: [
        { type: 1, value: '+3300000000' },
        { type: 1, value: '' },
        { type: 0, value: '' },
      ],
      groups: [],
    })
  })
})

describe('Overrides', () => {
  test.each(eventNames)('The event %s takes an override of any of its fields', (name) => {
    expect([...overrideProblems(name, {})]).toEqual([])
    expect([...overrideProblems(name, { ...madeUp(name).content })]).toEqual([])
    const { event_metadata, ...content } = payloadOf(madeUp(name))
    expect([...overrideProblems(name, content)]).toEqual([])
  })

  const aString = 'must be a string of valid Unicode'
  const aHandleType = 'must be EmailAddress (0) or PhoneNumber (1)'
  test.each([
    [{ event_metadata: {} }, 'event_metadata: is set by the service and cannot be given'],
    [{ event_metadata: null }, 'event_metadata: is set by the service and cannot be given'],
    [{ colour: 'red' }, 'colour: is not a field of PersonDeleted_v1'],
    [{ personId: 'p' }, 'personId: is not a field of PersonDeleted_v1'],
    [{ toString: 'p' }, 'toString: is not a field of PersonDeleted_v1'],
    [JSON.parse('{"__proto__": {}}'), '__proto__: is not a field of PersonDeleted_v1'],
    [{ analytics_metadata: {} }, 'analytics_metadata: is not a field of PersonDeleted_v1'],
    [{ person_id: 1 }, `person_id: ${aString}`],
    [{ person_id: null }, `person_id: ${aString}`],
    [{ person_id: ['p'] }, `person_id: ${aString}`],
    [{ person_id: '\ud800' }, `person_id: ${aString}`],
    [{ groups: 'staff' }, 'groups: must be an array'],
    [{ groups: { 0: 'staff' } }, 'groups: must be an array'],
    [{ groups: ['staff', 7] }, `groups[1]: ${aString}`],
    [{ handles: [{ type: 2 }] }, `handles[0].type: ${aHandleType}`],
    [{ handles: [{ type: '0' }] }, `handles[0].type: ${aHandleType}`],
    [{ handles: [{ type: null }] }, `handles[0].type: ${aHandleType}`],
    [{ handles: [null] }, 'handles[0]: must be an object'],
    [{ handles: [[]] }, 'handles[0]: must be an object'],
    [{ handles: [{ value: false }] }, `handles[0].value: ${aString}`],
    [{ handles: [{ kind: 0 }] }, 'handles[0].kind: is not a field of PersonHandle'],
  ])('The overrides %j are refused', (overrides, problem) => {
    const code = problem.includes('is not a field') ? 'unknown_field' : 'invalid_value'
    expect([...overrideProblems('PersonDeleted_v1', overrides)]).toEqual([{ code, message: problem }])
  })

  test('A refusal of overrides names a field inside a message by its path', () => {
    const overrides = { browser_metadata: { user_agent: 1 }, analytics_metadata: 'x' }
    expect([...overrideProblems('VirtualPageLoaded_v1', overrides)].map(({ message }) => message)).toEqual([
      `browser_metadata.user_agent: ${aString}`,
      'analytics_metadata: must be an object',
    ])
  })

  test('A refusal of overrides names everything that is wrong at once', () => {
    const overrides = { event_metadata: {}, person_id: 1, groups: [1, 'staff', 2], colour: '' }
    expect([...overrideProblems('PersonDeleted_v1', overrides)]).toHaveLength(5)
  })

  test('A refusal of overrides stops looking where the caller stops', () => {
    let read = 0
    const handles = Array.from({ length: 100 }, () =>
      Object.defineProperty({}, 'colour', { enumerable: true, get: () => read++ }),
    )
    expect(overrideProblems('PersonDeleted_v1', { handles }).take(3).toArray()).toHaveLength(3)
    expect(read).toBe(3)
  })
})
