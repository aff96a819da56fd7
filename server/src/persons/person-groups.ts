import { Type } from 'typebox'
import { GroupName, GroupNames } from '../groups/index.ts'
import type { Change } from '../http/recorded-change.ts'
import { closed, named } from '../http/schemas.ts'

export const PersonGroups = named('PersonGroups', closed({ groups: GroupNames }))
export const GroupNameList = Type.Array(GroupName, { description: 'Names of groups, sorted as bytes.' })

/** For the audit log. */
export const changedGroups = (personId: string, { before, after }: { before: string[]; after: string[] }): Change => ({
  target: { type: 'person', id: personId },
  before: { groups: before },
  after: { groups: after },
})
