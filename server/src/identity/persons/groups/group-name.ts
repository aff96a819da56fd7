import { Type } from 'typebox'
import { distinct, named, rule } from '../../../ground/http/chain/schemas.ts'

/** The expression of 2.2. Without the flag `i`, `\w` is ASCII. */
export const groupNameForm = /^[A-Za-z0-9]{1}[\w.-]{0,98}[A-Za-z0-9]$/u

export const groupNameRule = 'must be 2 to 100 characters of A-Z a-z 0-9 - _ . and start and end with a letter or digit'

export const GroupName = named(
  'GroupName',
  Type.String({
    pattern: groupNameForm.source,
    description:
      'The name of a group: 2 to 100 characters of A-Z a-z 0-9 - _ . with a letter or digit at both ends. Case-sensitive; ' +
      'unique within the organization.',
    examples: ['engineering'],
    ...rule(groupNameRule),
    'x-columns': { name: '' },
  }),
)

/** Per person, and so per request: this bounds the size of PersonDeleted_v1. */
export const maxGroupsOfPerson = 1_000

/** Group names in a request. Duplicates count once (4.4, rule 3). */
export const GroupNames = Type.Array(GroupName, {
  description: `Groups that exist, at most ${maxGroupsOfPerson}, which is the most that a person can be in. Duplicates are ignored.`,
  ...distinct(maxGroupsOfPerson, 'group names'),
})
