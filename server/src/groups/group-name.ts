import { Type } from 'typebox'
import { named, rule } from '../http/schemas.ts'

/** The expression of 2.2. `\w` is ASCII, as it is in every JavaScript expression that ignores no case. */
export const groupNameForm = /^[A-Za-z0-9]{1}[\w.-]{0,98}[A-Za-z0-9]$/u

export const GroupName = named(
  'GroupName',
  Type.String({
    pattern: groupNameForm.source,
    description:
      'The name of a group: 2 to 100 characters of A-Z a-z 0-9 - _ . with a letter or digit at both ends. Case-sensitive; ' +
      'unique within the organization.',
    examples: ['engineering'],
    ...rule('must be 2 to 100 characters of A-Z a-z 0-9 - _ . and start and end with a letter or digit'),
  }),
)

/** Of one person, and so of one request: it bounds the event that tells of a deleted person. */
export const maxGroupsOfPerson = 1_000

/** Names of groups in a request. One given twice counts once (4.4, rule 3). */
export const GroupNames = Type.Array(GroupName, {
  maxItems: maxGroupsOfPerson,
  description: `Groups that exist, at most ${maxGroupsOfPerson}. Duplicates are ignored.`,
  ...rule(`must be an array of at most ${maxGroupsOfPerson} group names`),
})
