import { expect, test } from 'vitest'
import { pack, unpack } from './packed-members.ts'

const ids = Array.from({ length: 1_000 }, (_, index) => `id-${index}`)
const members = ids.map((value) => ({ value }))

test('A long list of members leaves the body as one text, and comes back as a list of ids', () => {
  const packed = pack({ displayName: 'Everybody', Operations: [{ op: 'add', value: members }] })
  expect(packed.body).toEqual({ displayName: 'Everybody', Operations: [{ op: 'add', value: [] }] })
  expect(unpack(packed)).toEqual({ displayName: 'Everybody', Operations: [{ op: 'add', value: ids }] })
})

test('A member called __proto__ stays a member, and no object gets another prototype', () => {
  const { body } = pack(JSON.parse(`{"__proto__": {"members": ${JSON.stringify(members)}}}`))
  expect(JSON.stringify(body)).toBe('{"__proto__":{"members":[]}}')
  expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
})

test('A list that is none of members alone stays where it is, and counts', () => {
  const others = members.map((member, index) => (index === 500 ? { ...member, type: 'Group' } : member))
  expect(pack({ members: others })).toEqual({ body: { members: others }, lists: [] })
  expect(() => pack({ members: Array.from({ length: 10_000 }, () => 1) })).toThrow('must be members and little else')
})
