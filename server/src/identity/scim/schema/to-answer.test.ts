import { expect, test } from 'vitest'
import { readProjection } from '../http/list-query.ts'
import { groupSchema, signetGroupUrn } from './group-schema.ts'
import { isWanted, toAnswer, toMeta } from './to-answer.ts'
import { enterpriseUrn, userSchema } from './user-schema.ts'

const at = new Date('2026-01-31T12:00:00Z')
const stored = { id: 'i', created_at: at, updated_at: at, version: 3 }
const meta = toMeta(userSchema, 'https://signet.example/scim/o/v2', stored)
const user = {
  [enterpriseUrn]: { department: 'R&D', manager: { value: 'm' } },
  emails: [{ value: 'jo@example.com', type: 'work' }],
  name: { givenName: 'Jo', familyName: 'Doe' },
  password: 'never there',
  active: true,
  userName: 'jo',
  meta,
  id: 'i',
}
const answer = (query: Record<string, string>) => toAnswer(userSchema, user, readProjection(userSchema, query))

test('An answer has the order of the schema, its schemas, and where and when it was made', () => {
  expect(JSON.stringify(answer({}))).toBe(
    JSON.stringify({
      schemas: [userSchema.id, enterpriseUrn],
      id: 'i',
      userName: 'jo',
      name: { givenName: 'Jo', familyName: 'Doe' },
      active: true,
      emails: [{ value: 'jo@example.com', type: 'work' }],
      [enterpriseUrn]: { department: 'R&D', manager: { value: 'm' } },
      meta: {
        resourceType: 'User',
        created: '2026-01-31T12:00:00.000Z',
        lastModified: '2026-01-31T12:00:00.000Z',
        location: 'https://signet.example/scim/o/v2/Users/i',
        version: 'W/"3"',
      },
    }),
  )
})

const schemas = [userSchema.id, enterpriseUrn]

test.each([
  ['attributes=userName', { attributes: 'username' }, { schemas, id: 'i', userName: 'jo' }],
  [
    'attributes=emails.value',
    { attributes: 'emails.value' },
    { schemas, id: 'i', emails: [{ value: 'jo@example.com' }] },
  ],
  ['attributes=password', { attributes: 'password' }, { schemas, id: 'i' }],
  ['attributes of nobody', { attributes: 'shoeSize,%%' }, { schemas, id: 'i' }],
  [
    'one of the extension',
    { attributes: ` meta.version, ${enterpriseUrn}:department` },
    { schemas, id: 'i', [enterpriseUrn]: { department: 'R&D' }, meta: { version: 'W/"3"' } },
  ],
  ['the extension whole', { attributes: enterpriseUrn }, { schemas, id: 'i', [enterpriseUrn]: user[enterpriseUrn] }],
  [
    'excludedAttributes',
    { excludedAttributes: `id,emails,name.familyName,meta,${enterpriseUrn}` },
    { schemas, id: 'i', userName: 'jo', name: { givenName: 'Jo' }, active: true },
  ],
])('43: %s', (_, query, expected) => {
  expect(answer(query)).toEqual(expected)
})

test.each([
  [{}, true],
  [{ excludedAttributes: 'members' }, false],
  [{ attributes: 'displayName' }, false],
  [{ attributes: 'members.value' }, true],
  [{ attributes: `${groupSchema.id}:members` }, true],
])('77: by %j members are wanted: %j', (query, wanted) => {
  expect(isWanted(readProjection(groupSchema, query), 'members')).toBe(wanted)
})

test('72: a group shows what Signet calls it', () => {
  const group = { id: 'g', displayName: 'R&D', [signetGroupUrn]: { groupName: 'R-D' }, meta }
  expect(toAnswer(groupSchema, group, readProjection(groupSchema, {}))).toMatchObject({
    schemas: [groupSchema.id, signetGroupUrn],
    [signetGroupUrn]: { groupName: 'R-D' },
  })
})
