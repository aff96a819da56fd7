/**
 * The JSON text of events (6.1): the contract's field names in the order of their numbers, enums and `event_version` as
 * numbers, every field present except those that 6.1 marks "only if".
 */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageJsonType,
  toJson,
} from '@bufbuild/protobuf'
import {
  type AnalyticsMetadataJson,
  AuthenticationFailed_v1Schema,
  AuthenticationSucceeded_v1Schema,
  type EventMetadataJson,
  EventSource,
  type EventSourceJson,
  PersonActivated_v1Schema,
  PersonCreated_v1Schema,
  PersonDeactivated_v1Schema,
  PersonDeleted_v1Schema,
  PersonGroupsChanged_v1Schema,
  type PersonHandleJson,
  VirtualPageLoaded_v1Schema,
} from '@signet/proto'
import type { Fault } from '../../ground/errors.ts'
import type { SignInEvent } from './sign-in-event.ts'

type Source = Exclude<EventSourceJson, 'EventSource_UNSPECIFIED'>
/** The fields of an event besides `event_metadata`, under their JSON names. */
type Content<Schema extends DescMessage> = Omit<MessageJsonType<Schema>, 'event_metadata'>

const person = { person_id: '0199a3f2-5c00-7000-8000-0242ac120002', region: 'local' }
const browser_metadata = {
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  window_location: 'https://app.example.com/account',
}

const handles: PersonHandleJson[] = [
  { type: 'EmailAddress', value: 'jo@example.com' },
  { type: 'PhoneNumber', value: '+12025550123' },
]

/** `source` is the default. `madeUp` is the content of a test event; its type requires every field. */
const defineEvent = <Schema extends DescMessage>(
  schema: Schema,
  source: Source,
  madeUp: (analytics_metadata: AnalyticsMetadataJson) => Required<Content<Schema>>,
) => ({ schema, source, madeUp, empty: emptyMessages(schema) })

/** An unset message is absent in protobuf's JSON; 6.1 shows it with empty members. */
const emptyMessages = (schema: DescMessage): JsonObject =>
  Object.fromEntries(
    schema.fields
      .filter(({ fieldKind, jsonName }) => fieldKind === 'message' && jsonName !== 'event_metadata')
      .map(({ jsonName }) => [jsonName, {}]),
  )

const events = {
  AuthenticationSucceeded_v1: defineEvent(AuthenticationSucceeded_v1Schema, 'SDK', (analytics_metadata) => ({
    analytics_metadata,
    browser_metadata,
    ...person,
    success_authn_method: 'oidc',
    authenticated_methods: ['oidc'],
  })),
  AuthenticationFailed_v1: defineEvent(AuthenticationFailed_v1Schema, 'SDK', (analytics_metadata) => ({
    analytics_metadata,
    browser_metadata,
    ...person,
    authenticated_methods: ['oidc'],
    failed_authn_method: 'oidc',
    failure_reason: 'oidc_access_denied',
  })),
  VirtualPageLoaded_v1: defineEvent(VirtualPageLoaded_v1Schema, 'SDK', (analytics_metadata) => ({
    analytics_metadata,
    browser_metadata,
    ...person,
  })),
  PersonCreated_v1: defineEvent(PersonCreated_v1Schema, 'Cloud', (analytics_metadata) => ({
    analytics_metadata,
    ...person,
  })),
  PersonDeleted_v1: defineEvent(PersonDeleted_v1Schema, 'Cloud', () => ({
    ...person,
    handles,
    groups: ['staff'],
  })),
  PersonDeactivated_v1: defineEvent(PersonDeactivated_v1Schema, 'Cloud', (analytics_metadata) => ({
    analytics_metadata,
    ...person,
    reason: 'api',
  })),
  PersonActivated_v1: defineEvent(PersonActivated_v1Schema, 'Cloud', (analytics_metadata) => ({
    analytics_metadata,
    ...person,
    reason: 'api',
  })),
  PersonGroupsChanged_v1: defineEvent(PersonGroupsChanged_v1Schema, 'Cloud', (analytics_metadata) => ({
    analytics_metadata,
    ...person,
    added: ['staff'],
    removed: ['guests'],
  })),
}

export type EventName = keyof typeof events
export const eventNames = Object.keys(events) as readonly EventName[]

/** An event to publish; `source` only where it differs from the event's default. */
export type NewEvent = {
  [Name in EventName]: { name: Name; source?: Source; content: Content<(typeof events)[Name]['schema']> }
}[EventName] & {
  /** Of a sign-in: its last event. */
  signIn?: Omit<SignInEvent, 'clientAddress'> | undefined
}

/** `timestamp`: RFC 3339 in UTC with nine decimals. */
type EventStamp = { eventId: string; organizationId: string; timestamp: string; isTestEvent: boolean }

const typeOf = (name: EventName) => name.replace(/_v\d+$/, '')
const versionOf = (name: EventName) => name.replace(/^.*_v/, '')

/** `PersonCreated` and `PersonCreated_v1` give `PersonCreated_v1`; an unknown name gives undefined. */
export const withVersion = (name: string): EventName | undefined =>
  eventNames.find((known) => known === name || typeOf(known) === name)

/**
 * The payload of 6.1, as text because the order of its members is part of the contract. AuthenticationFailed_v1 has
 * `browser_metadata` exactly when its source is SDK, whatever the content holds.
 */
export function toEventJson(event: NewEvent, stamp: EventStamp): string {
  const {
    schema,
    empty,
    source: usual,
  }: { schema: DescMessage; empty: JsonObject; source: Source } = events[event.name]
  const { name, source = usual } = event
  const message = fromJson(schema, { ...empty, ...event.content })
  const content = toJson(schema, message, { alwaysEmitImplicit: true, enumAsInteger: true }) as Written
  const event_metadata = metadataOf(name, source, stamp)
  return JSON.stringify({ event_metadata, ...content, ...leftOut(name, source, content) })
}

type Written = { authenticated_methods?: string[] }

/** In the order of its field numbers. Not serialized by protobuf, which writes the 64-bit version as a string. */
const metadataOf = (
  name: EventName,
  source: Source,
  stamp: EventStamp,
): Record<keyof EventMetadataJson, JsonValue> => ({
  is_test_event: stamp.isTestEvent,
  event_id: stamp.eventId,
  timestamp: stamp.timestamp,
  source: EventSource[source],
  event_type: typeOf(name),
  event_name: name,
  event_version: Number(versionOf(name)),
  organization_id: stamp.organizationId,
})

/** The two "only if" of 6.1 that `optional` cannot express: one depends on the source, one is a list. */
function leftOut(name: EventName, source: Source, { authenticated_methods }: Written) {
  if (name !== 'AuthenticationFailed_v1') return {}
  return {
    ...(source !== 'SDK' && { browser_metadata: undefined }),
    ...(authenticated_methods?.length === 0 && { authenticated_methods: undefined }),
  }
}

export const schemaOf = (name: EventName): DescMessage => events[name].schema

/**
 * A test event (4.7): made-up content in which each field of `overrides` replaces the whole field. `overrides` must have
 * passed `overrideProblems`; `analytics` is that of the request for the event.
 */
export const madeUpEvent = (name: EventName, analytics: AnalyticsMetadataJson, overrides: JsonObject) =>
  ({ name, content: { ...events[name].madeUp(analytics), ...overrides } }) as NewEvent

/**
 * Problems of the fields given for a test event, each with field and rule. A generator, because a list may hold half a
 * million invalid items and only the first problems are reported.
 */
export function* overrideProblems(name: EventName, overrides: JsonObject): Generator<Fault> {
  const { event_metadata, ...content } = overrides
  if (event_metadata !== undefined) yield invalid('event_metadata: is set by the service and cannot be given')
  yield* messageProblems(events[name].schema, content)
}

const invalid = (message: string): Fault => ({ code: 'invalid_value', message })

function* messageProblems(schema: DescMessage, value: JsonObject, path = ''): Generator<Fault> {
  for (const [name, member] of Object.entries(value)) {
    const field = schema.fields.find((known) => known.jsonName === name)
    if (field) yield* fieldProblems(field, member, path + name)
    else yield { code: 'unknown_field', message: `${path}${name}: is not a field of ${schema.name}` }
  }
}

function* fieldProblems(field: DescField, value: JsonValue, path: string): Generator<Fault> {
  if (field.fieldKind !== 'list') yield* valueProblems(field, value, path)
  else if (!Array.isArray(value)) yield invalid(`${path}: must be an array`)
  else for (const [index, item] of value.entries()) yield* valueProblems(field, item, `${path}[${index}]`)
}

/** Outside `event_metadata` the contract has only messages, enums and strings; a test checks that. */
function valueProblems({ message, enum: words }: DescField, value: JsonValue, path: string): Iterable<Fault> {
  if (words) return isOneOf(words, value) ? [] : [invalid(`${path}: must be ${wordsOf(words)}`)]
  if (message)
    return isObject(value) ? messageProblems(message, value, `${path}.`) : [invalid(`${path}: must be an object`)]
  return typeof value === 'string' && value.isWellFormed()
    ? []
    : [invalid(`${path}: must be a string of valid Unicode`)]
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** By number, as events show it, or by name, as persons do (2.3). */
const isOneOf = ({ values }: DescEnum, value: JsonValue) =>
  values.some(({ name, number }) => value === name || value === number)

const wordsOf = ({ values }: DescEnum) => values.map(({ name, number }) => `${name} (${number})`).join(' or ')
