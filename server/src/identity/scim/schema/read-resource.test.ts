import { expect, test } from 'vitest'
import { ScimError } from '../errors.ts'
import { groupSchema, maxMembers } from './group-schema.ts'
import { readResource } from './read-resource.ts'
import { enterpriseUrn, userSchema } from './user-schema.ts'

const readUser = (body: object) => readResource(userSchema, { userName: 'jo', ...body })
const readGroup = (body: object) => readResource(groupSchema, { displayName: 'Engineering', ...body })

const refusal = (read: () => unknown) => {
  try {
    read()
  } catch (error) {
    if (error instanceof ScimError) return `${error.status} ${error.scimType}: ${error.message}`
    throw error
  }
  return 'not refused'
}

test('13: Okta’s user is read whole, without its groups and its password', () => {
  const okta = {
    schemas: [userSchema.id],
    userName: 'jo@example.com',
    name: { givenName: 'Jo', familyName: 'Doe' },
    emails: [{ primary: true, value: 'jo@example.com', type: 'work' }],
    displayName: 'Jo Doe',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  }
  const { schemas: _, groups: __, password: ___, ...kept } = okta
  expect(readResource(userSchema, okta)).toEqual(kept)
})

test('14: meta and empty lists mean nothing, and the enterprise extension stands under its URN', () => {
  const read = readUser({
    meta: { resourceType: 'User' },
    roles: [],
    emails: [],
    [enterpriseUrn.toUpperCase()]: { EMPLOYEENUMBER: '701984', manager: '26118915' },
  })
  expect(read).toEqual({
    userName: 'jo',
    [enterpriseUrn]: { employeeNumber: '701984', manager: { value: '26118915' } },
  })
})

test.each([
  ['no userName', {}, 'userName: is required'],
  ['an empty one', { userName: '' }, 'userName: is required'],
  ['null', { userName: null }, 'userName: is required'],
  ['a number', { userName: 7 }, 'userName: must be a text'],
  ['257 characters', { userName: 'x'.repeat(257) }, 'userName: must be at most 256 characters'],
])('18: %s is refused by its name', (_, body, message) => {
  expect(refusal(() => readResource(userSchema, body))).toBe(`400 invalidValue: ${message}`)
})

test('19: what nobody knows is left out silently', () => {
  const unknown = {
    favouriteColour: 'blue',
    'urn:example:2.0:User': { shoeSize: 43 },
    entitlements: [{ value: 'x' }],
    x509Certificates: [{ value: 'x' }],
    id: 'own',
  }
  expect(readUser(unknown)).toEqual({ userName: 'jo' })
})

test.each([
  ['True', true],
  ['False', false],
  ['FALSE', false],
  [true, true],
])('20: active %j is %j', (active, read) => {
  expect(readUser({ active })).toEqual({ userName: 'jo', active: read })
})

test.each(['no', '', 0, {}])('active %j is refused', (active) => {
  expect(refusal(() => readUser({ active }))).toBe('400 invalidValue: active: must be true or false')
})

test('Names count whatever the case of their letters, and the canonical ones are kept', () => {
  expect(readUser({ DISPLAYNAME: 'Jo', Name: { GivenName: 'Jo' } })).toEqual({
    userName: 'jo',
    displayName: 'Jo',
    name: { givenName: 'Jo' },
  })
})

test('An empty text and null say nothing, and neither does an address without a value', () => {
  const read = readUser({ title: '', nickName: null, name: { givenName: '' }, emails: [{ type: 'work', value: '' }] })
  expect(read).toEqual({ userName: 'jo' })
})

test('A value that stands where a list belongs is a list of one, and a text the value of an object', () => {
  expect(readUser({ emails: 'jo@example.com' })).toMatchObject({ emails: [{ value: 'jo@example.com' }] })
})

test('Of two primary addresses the first is', () => {
  const emails = [
    { value: 'a@example.com', primary: 'True' },
    { value: 'b@example.com', primary: true },
  ]
  expect(readUser({ emails })).toMatchObject({
    emails: [{ value: 'a@example.com', primary: true }, { value: 'b@example.com' }],
  })
})

test.each([
  [{ emails: [{ value: 'a' }, { value: 7 }] }, 'emails[1].value: must be a text'],
  [{ emails: [7] }, 'emails[0]: must be an object'],
  [{ name: 'Jo' }, 'name: must be an object'],
  [{ [enterpriseUrn]: 7 }, `${enterpriseUrn}: must be an object`],
  [{ [enterpriseUrn]: { costCenter: 7 } }, `${enterpriseUrn}:costCenter: must be a text`],
])('%j is refused by the place', (body, message) => {
  expect(refusal(() => readUser(body))).toBe(`400 invalidValue: ${message}`)
})

test.each([
  '{"__proto__": {"x": 1}}',
  '{"constructor": {}}',
  '{"name": {"__proto__": {"x": 1}}}',
  '{"emails": [{"prototype": 1}]}',
])('61: %s is refused, and nothing that all objects share is changed', (json) => {
  expect(refusal(() => readUser({ ...JSON.parse(json), ...ownProto(json) }))).toContain('400 invalidPath')
  expect(({} as { x?: number }).x).toBeUndefined()
})

/** A spread sets a prototype where the text has a member. */
function ownProto(json: string): object {
  const parsed = JSON.parse(json)
  return Object.hasOwn(parsed, '__proto__') ? parsed : {}
}

test('Of one resource 16 KiB are kept', () => {
  expect(refusal(() => readUser({ title: 'x'.repeat(16_384) }))).toBe(
    '413 undefined: attributes: must be at most 16 KiB as JSON in all',
  )
})

test('21 addresses are too many', () => {
  const emails = Array.from({ length: 21 }, (_, n) => ({ value: `${n}@example.com` }))
  expect(refusal(() => readUser({ emails }))).toBe('413 undefined: emails: must be at most 20 values')
})

test('70: Entra’s group is read, and its own schema means nothing', () => {
  const entra = {
    schemas: [groupSchema.id, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
    externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
    displayName: 'Engineering',
    meta: { resourceType: 'Group' },
  }
  expect(readResource(groupSchema, entra)).toEqual({ externalId: entra.externalId, displayName: 'Engineering' })
})

test('72b: 257 characters of a displayName are refused', () => {
  expect(refusal(() => readGroup({ displayName: 'x'.repeat(257) }))).toBe(
    '400 invalidValue: displayName: must be at most 256 characters',
  )
})

test('79: the address of a member may be null', () => {
  expect(readGroup({ members: [{ $ref: null, value: 'u', display: 'Jo' }] })).toMatchObject({
    members: [{ value: 'u' }],
  })
})

test('90: groups in groups are refused', () => {
  expect(refusal(() => readGroup({ members: [{ type: 'Group', value: 'g' }] }))).toBe(
    '400 invalidValue: members[0].type: nested groups are not supported',
  )
})

test('A member without its id is refused', () => {
  expect(refusal(() => readGroup({ members: [{ display: 'Jo' }] }))).toBe(
    '400 invalidValue: members[0].value: is required',
  )
})

test('96: 100,000 members are read, one more is too large', () => {
  const members = Array.from({ length: maxMembers }, (_, n) => ({ value: String(n) }))
  expect(readGroup({ members }).members).toHaveLength(maxMembers)
  expect(refusal(() => readGroup({ members: [...members, { value: 'one more' }] }))).toBe(
    '413 undefined: members: must be at most 100000 values',
  )
})
