import { expect, test } from 'vitest'
import { accessChanges, without, withRole } from './access-changes.ts'

const access = [
  { group: 'owners', role: 'owner' },
  { group: 'desk', role: 'support' },
] as const

test('A change is told group by group: who comes in, who is out, and whose role is another one', () => {
  const changed = withRole(without([...access], 'owners'), { group: 'desk', role: 'reader' })
  expect(accessChanges([...access], withRole(changed, { group: 'admins', role: 'owner' }))).toEqual([
    { name: 'owners', before: 'Owner', after: undefined },
    { name: 'desk', before: 'Support', after: 'Reader' },
    { name: 'admins', before: undefined, after: 'Owner' },
  ])
})

test('A group that is put in again has its new role alone, and its place', () => {
  expect(withRole([...access], { group: 'owners', role: 'reader' })).toEqual([
    { group: 'owners', role: 'reader' },
    { group: 'desk', role: 'support' },
  ])
  expect(accessChanges([...access], [...access].reverse())).toEqual([])
})
