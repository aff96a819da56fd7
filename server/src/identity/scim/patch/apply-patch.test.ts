import { expect, test } from 'vitest'
import { randomFrom } from '../../../../tests/support/random.ts'
import { ScimError } from '../errors.ts'
import type { Resource } from '../schema/attributes.ts'
import { groupSchema } from '../schema/group-schema.ts'
import { enterpriseUrn, userSchema } from '../schema/user-schema.ts'
import { applyPatch } from './apply-patch.ts'
import { readPatch } from './read-patch.ts'

const jo: Resource = {
  userName: 'jo',
  active: true,
  displayName: 'Jo',
  title: 'Engineer',
  name: { givenName: 'Jo', familyName: 'Doe' },
  emails: [
    { type: 'work', value: 'jo@example.com', primary: true },
    { type: 'home', value: 'jo@home.example' },
  ],
  [enterpriseUrn]: { department: 'R&D', manager: { value: 'm' } },
}

const patched = (...Operations: unknown[]) => applyPatch(jo, readPatch(userSchema, { Operations }))

const refusalOf = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    if (error instanceof ScimError) return `${error.status} ${error.scimType}`
    throw error
  }
  return 'not refused'
}

const refusal = (...operations: unknown[]) => refusalOf(() => patched(...operations))

test.each([
  { op: 'Replace', path: 'active', value: 'False' },
  { op: 'replace', value: { active: false } },
  { op: 'replace', path: 'active', value: [{ value: 'False' }] },
  { op: 'replace', path: 'active', value: { active: 'false' } },
  { op: 'add', path: 'active', value: 'false' },
  { op: 'replace', path: 'active', value: 'FALSE' },
  { op: 'REPLACE', path: 'Active', value: false },
  { OP: 'replace', Path: `${userSchema.id}:active`, Value: false },
  { op: 'replace', value: { [`${userSchema.id}:active`]: false } },
])('45, 46, 48, 55: %j switches off', (operation) => {
  expect(patched(operation)).toEqual({ ...jo, active: false })
})

test.each(['no', 0, null, '', [], {}, undefined])('48: active %j is refused', (value) => {
  expect(refusal({ op: 'replace', path: 'active', value })).toBe('400 invalidValue')
})

test('Nobody is switched on by taking the switch away', () => {
  expect(refusal({ op: 'remove', path: 'active' })).toBe('400 mutability')
})

test('51: a value that the filter finds is changed', () => {
  const changed = patched({ op: 'Replace', path: 'emails[type eq "work"].value', value: 'n@example.com' })
  expect(changed.emails).toEqual([
    { type: 'work', value: 'n@example.com', primary: true },
    { type: 'home', value: 'jo@home.example' },
  ])
})

test.each(['Add', 'Replace'])('52: where the filter finds nothing, %s makes the value', (op) => {
  const changed = patched(
    { op, path: 'phoneNumbers[type eq "mobile"].value', value: '+49151' },
    { op, path: 'addresses[type eq "work"].locality', value: 'Köln' },
    { op, path: 'addresses[type eq "work"].country', value: 'DE' },
    { op, path: 'ims[type eq "xmpp" and primary eq "True"]', value: 'jo@xmpp.example' },
  )
  expect(changed).toMatchObject({
    phoneNumbers: [{ type: 'mobile', value: '+49151' }],
    addresses: [{ type: 'work', locality: 'Köln', country: 'DE' }],
    ims: [{ type: 'xmpp', primary: true, value: 'jo@xmpp.example' }],
  })
})

test('52: no value is made from a filter that does not say what it has', () => {
  const path = 'phoneNumbers[type eq "mobile" or type eq "work"].value'
  expect(refusal({ op: 'add', path, value: '+49151' })).toBe('400 noTarget')
})

test('53: Entra’s operations, each with a path', () => {
  const op = 'Replace'
  const changed = patched(
    { op, path: 'displayName', value: 'Joanna' },
    { op, path: 'emails[type eq "work"].value', value: 'j@example.com' },
    { op, path: 'name.givenName', value: 'Joanna' },
    { op, path: 'name.familyName', value: 'Roe' },
    { op, path: 'externalId', value: 'e' },
    { op, path: `${enterpriseUrn}:employeeNumber`, value: '7' },
  )
  expect(changed).toEqual({
    ...jo,
    displayName: 'Joanna',
    name: { givenName: 'Joanna', familyName: 'Roe' },
    externalId: 'e',
    emails: [
      { type: 'work', value: 'j@example.com', primary: true },
      { type: 'home', value: 'jo@home.example' },
    ],
    [enterpriseUrn]: { department: 'R&D', manager: { value: 'm' }, employeeNumber: '7' },
  })
})

test('54: Entra’s one operation with dotted keys', () => {
  const value = {
    displayName: 'Joanna',
    'name.givenName': 'Joanna',
    [`${enterpriseUrn}:employeeNumber`]: '7',
    [enterpriseUrn]: { division: 'EU' },
    'emails[type eq "work"].value': 'j@example.com',
  }
  expect(patched({ op: 'replace', value })).toMatchObject({
    displayName: 'Joanna',
    name: { givenName: 'Joanna', familyName: 'Doe' },
    emails: [{ type: 'work', value: 'j@example.com', primary: true }, { type: 'home' }],
    [enterpriseUrn]: { department: 'R&D', division: 'EU', employeeNumber: '7' },
  })
})

test('55: NAME.givenname', () => {
  expect(patched({ op: 'ADD', path: 'NAME.givenname', value: 'Joanna' })).toMatchObject({
    name: { givenName: 'Joanna', familyName: 'Doe' },
  })
})

test('Of a name only what is sent changes', () => {
  expect(patched({ op: 'replace', path: 'name', value: { givenName: 'Joanna', familyName: '' } })).toMatchObject({
    name: { givenName: 'Joanna' },
  })
  expect(patched({ op: 'replace', value: { name: { middleName: 'A.' } } })).toMatchObject({
    name: { givenName: 'Jo', middleName: 'A.', familyName: 'Doe' },
  })
})

test.each(['26118915', { value: '26118915' }, [{ value: '26118915' }]])('56: the manager %j', (value) => {
  expect(patched({ op: 'add', path: `${enterpriseUrn}:manager`, value })).toMatchObject({
    [enterpriseUrn]: { department: 'R&D', manager: { value: '26118915' } },
  })
})

test('57: remove', () => {
  const { title: _, ...untitled } = jo
  expect(patched({ op: 'remove', path: 'title' })).toEqual(untitled)
  expect(refusal({ op: 'remove' })).toBe('400 noTarget')
  expect(patched({ op: 'remove', path: 'emails[type eq "fax"]' })).toEqual(jo)
  expect(patched({ op: 'remove', path: 'emails[type eq "work"]' }).emails).toEqual([
    { type: 'home', value: 'jo@home.example' },
  ])
  expect(patched({ op: 'remove', path: 'emails[type eq "work"].value' }).emails).toHaveLength(1)
  expect(patched({ op: 'remove', path: 'emails', value: [{ value: 'JO@home.example' }] }).emails).toHaveLength(1)
  expect(patched({ op: 'remove', path: 'emails', value: [] })).toEqual(jo)
  expect(patched({ op: 'remove', path: 'emails' })).not.toHaveProperty('emails')
  expect(patched({ op: 'remove', path: enterpriseUrn })).not.toHaveProperty([enterpriseUrn])
})

test.each([
  'id',
  'meta',
  'meta.created',
  'groups',
  'groups[value eq "g"]',
  'groups.value',
  `${enterpriseUrn}:manager.displayName`,
])('58: %s is read-only', (path) => {
  expect(refusal({ op: 'replace', path, value: 'x' })).toBe('400 mutability')
})

test.each(['userName', `${userSchema.id}:userName`])('%s must not be removed', (path) => {
  expect(refusal({ op: 'remove', path })).toBe('400 mutability')
})

test.each([
  {},
  { Operations: [] },
  { Operations: {} },
  { Operations: [7] },
  { Operations: [{ op: 'move', path: 'title' }] },
  { Operations: [{ path: 'title', value: 'x' }] },
  { Operations: [{ op: 'add', path: 7, value: 'x' }] },
  { Operations: [{ op: 'add', value: 'x' }] },
  { Operations: [{ op: 'add', path: enterpriseUrn, value: 'x' }] },
])('60: %j has the wrong form', (body) => {
  expect(refusalOf(() => readPatch(userSchema, body))).toBe('400 invalidSyntax')
})

test.each([
  'emails[',
  'emails]',
  'emails[type eq "work"',
  'emails[type eq "work"].value.x',
  'emails[type eq "work"]value',
  'name[givenName eq "Jo"]',
  'name..givenName',
  'user name',
  'a.b.c',
  ' ',
  'x'.repeat(5_000),
])('60: the path %j is no path', (path) => {
  expect(refusal({ op: 'add', path, value: 'x' })).toBe('400 invalidPath')
})

test('60: a filter in a path has the rules of filters', () => {
  expect(refusal({ op: 'add', path: 'emails[type]', value: 'x' })).toBe('400 invalidFilter')
})

test('60: 1,000 operations are taken, one more is too large', () => {
  const operations = Array(1_000).fill({ op: 'replace', path: 'title', value: 'x' })
  expect(patched(...operations)).toMatchObject({ title: 'x' })
  expect(refusal(...operations, operations[0])).toBe('413 undefined')
})

const polluting = [
  { op: 'add', path: '__proto__.x', value: 1 },
  { op: 'add', path: 'constructor.prototype.x', value: 1 },
  { op: 'add', path: 'name.__proto__', value: { x: 1 } },
  { op: 'add', path: 'emails[type eq "work"].__proto__', value: { x: 1 } },
  { op: 'add', path: 'urn:x:__proto__', value: { x: 1 } },
  { op: 'add', value: JSON.parse('{"__proto__": {"x": 1}}') },
  { op: 'add', value: { 'constructor.prototype.x': 1 } },
  { op: 'add', path: 'name', value: JSON.parse('{"__proto__": {"x": 1}}') },
  { op: 'add', path: 'emails', value: [JSON.parse('{"value": "a", "__proto__": {"x": 1}}')] },
]

test.each(polluting)('61: %j is refused, and nothing that all objects share is changed', (operation) => {
  expect(refusal(operation)).toBe('400 invalidPath')
  expect(({} as { x?: number }).x).toBeUndefined()
})

test('What nobody knows, and a password, mean nothing', () => {
  const operations = [
    { op: 'add', path: 'favouriteColour', value: 'blue' },
    { op: 'replace', path: 'roles[primary eq "True"].value', value: 'x' },
    { op: 'replace', path: 'password', value: 'x' },
    { op: 'replace', value: { schemas: [userSchema.id], id: 'i', password: 'x', groups: [], meta: {} } },
    { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:Custom:2.0:User:tag', value: 'x' },
  ]
  expect(patched(...operations)).toEqual(jo)
})

test('85: a group’s id beside its new name is no error', () => {
  const operations = readPatch(groupSchema, { Operations: [{ op: 'replace', value: { id: 'g', displayName: 'New' } }] })
  expect(applyPatch({ displayName: 'Old' }, operations)).toEqual({ displayName: 'New' })
})

test.each(['title', 'name.givenName', `${enterpriseUrn}:manager`, `${enterpriseUrn}:department`, 'displayName'])(
  '106: an empty text takes %s away',
  (path) => {
    const removed = patched({ op: 'remove', path })
    expect(patched({ op: 'replace', path, value: '' })).toEqual(removed)
    expect(patched({ op: 'replace', path, value: null })).toEqual(removed)
    expect(removed).not.toEqual(jo)
  },
)

test('106: an empty address takes it away whole', () => {
  expect(patched({ op: 'replace', path: 'emails[type eq "work"].value', value: '' }).emails).toEqual([
    { type: 'home', value: 'jo@home.example' },
  ])
})

test('108: the last value counts', () => {
  const changed = patched(
    { op: 'remove', path: 'displayName' },
    { op: 'add', path: 'displayName', value: 'first' },
    { op: 'replace', path: 'displayName', value: 'last' },
  )
  expect(changed).toEqual({ ...jo, displayName: 'last' })
})

test('110: a new userName', () => {
  expect(patched({ op: 'replace', value: { userName: 'new' } })).toEqual({ ...jo, userName: 'new' })
})

test('62, 111: what is there already changes nothing', () => {
  const changed = patched(
    { op: 'replace', path: 'displayName', value: 'Jo' },
    { op: 'add', path: 'emails', value: [{ value: 'JO@example.com' }] },
    { op: 'add', path: 'emails[type eq "work"].value', value: 'jo@example.com' },
  )
  expect(changed).toMatchObject({ ...jo, emails: [{ type: 'work', primary: true }, { type: 'home' }] })
})

test('Where another address becomes primary, the one before is so no more', () => {
  const emails = (...operations: unknown[]) => patched(...operations).emails
  const before = { type: 'work', value: 'jo@example.com' }
  const home = { type: 'home', value: 'jo@home.example' }
  const added = { value: 'new@example.com', primary: true }
  expect(emails({ op: 'add', path: 'emails', value: [added] })).toEqual([before, home, added])
  expect(emails({ op: 'replace', path: 'emails[type eq "home"].primary', value: 'True' })).toEqual([
    before,
    { ...home, primary: true },
  ])
})

test('The resource before the change stays as it is', () => {
  const before = structuredClone(jo)
  patched(
    { op: 'replace', path: 'emails[type eq "work"].value', value: 'n@example.com' },
    { op: 'remove', path: 'name' },
  )
  expect(jo).toEqual(before)
})

test('A resource does not grow beyond its bound', () => {
  expect(refusal({ op: 'add', path: 'title', value: 'x'.repeat(16_384) })).toBe('413 undefined')
  const values = (from: number) => Array.from({ length: 11 }, (_, n) => ({ value: `${from + n}@example.com` }))
  expect(
    refusal({ op: 'add', path: 'emails', value: values(0) }, { op: 'add', path: 'emails', value: values(11) }),
  ).toBe('413 undefined')
})

/** Operations on `members`, as `scim/groups` gets them. */
const members = (...Operations: unknown[]) =>
  readPatch(groupSchema, { Operations }).map(({ op, attribute, filter, value }) => ({
    op,
    name: attribute.name,
    ...(filter && { filter: filter.is }),
    ...(value !== undefined && { value }),
  }))

test.each([
  ['79', { op: 'Add', path: 'members', value: [{ $ref: null, value: 'u' }] }, { op: 'add', value: [{ value: 'u' }] }],
  [
    '80',
    { op: 'add', path: 'members', value: [{ value: 'u', display: 'Jo' }] },
    { op: 'add', value: [{ value: 'u' }] },
  ],
  ['81', { op: 'Remove', path: 'members', value: [{ value: 'u' }] }, { op: 'remove', value: [{ value: 'u' }] }],
  ['82', { op: 'remove', path: 'members[value eq "u"]' }, { op: 'remove', filter: 'compare' }],
  ['83', { op: 'remove', path: 'members' }, { op: 'remove' }],
  ['86', { op: 'replace', path: 'members', value: [{ value: 'u' }] }, { op: 'replace', value: [{ value: 'u' }] }],
  ['86', { op: 'replace', value: { members: [{ value: 'u' }] } }, { op: 'replace', value: [{ value: 'u' }] }],
  ['none left', { op: 'replace', path: 'members', value: [] }, { op: 'replace', value: [] }],
])('%s: a change of members', (_, operation, read) => {
  expect(members(operation)).toEqual([{ name: 'members', ...read }])
})

test('84: remove and add in one body', () => {
  const [gone, come] = [
    { op: 'remove', path: 'members[value eq "u"]' },
    { op: 'add', path: 'members', value: [{ value: 'v' }] },
  ]
  expect(members(gone, come)).toMatchObject([{ op: 'remove' }, { op: 'add', value: [{ value: 'v' }] }])
})

test('90: groups in groups are refused', () => {
  const operation = { op: 'add', path: 'members', value: [{ type: 'Group', value: 'g' }] }
  expect(refusalOf(() => members(operation))).toBe('400 invalidValue')
})

const paths = [
  'active',
  'emails',
  'emails[type eq "work"]',
  'emails[value pr].value',
  'name',
  'name.givenName',
  enterpriseUrn,
  '',
  '[',
  ']',
  '.',
  'urn:x:y',
  'meta',
  '"',
  '__proto__',
]
const values = [
  undefined,
  null,
  '',
  'x',
  7,
  true,
  [],
  {},
  [[]],
  [null],
  { value: 'x' },
  [{ value: 'x' }],
  { name: 'x' },
  { emails: 7 },
  { active: [] },
  JSON.parse('{"__proto__":{"x":1}}'),
]

test('Whatever is sent is a change or is refused', () => {
  const random = randomFrom(11)
  const next = (below: number) => Math.floor(random() * below)
  for (let round = 0; round < 5_000; round++) {
    const path = paths[next(paths.length)] + (next(3) ? '' : (paths[next(paths.length)] as string))
    const op = ['add', 'replace', 'remove'][next(3)]
    expect(refusal({ op, path, value: values[next(values.length)] })).toMatch(/^(not refused|4\d\d \w+)$/)
  }
  expect(({} as { x?: number }).x).toBeUndefined()
})
