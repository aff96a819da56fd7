import { expect, test } from 'vitest'
import { groupChanges } from './group-changes.ts'

test('Groups that are added come first, then those that are removed; the others are left out', () => {
  expect(groupChanges(['admins', 'staff'], ['staff', 'team'])).toEqual([
    { name: 'team', before: undefined, after: 'member' },
    { name: 'admins', before: 'member', after: undefined },
  ])
})

test('The same groups in another order are no change', () => {
  expect(groupChanges(['a1', 'b1'], ['b1', 'a1'])).toEqual([])
})
