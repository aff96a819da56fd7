import { Type } from 'typebox'
import type { Change } from '../../ground/http/chain/recorded-change.ts'
import { closed, named } from '../../ground/http/chain/schemas.ts'
import { GroupName, GroupNames, type Member, type Sides } from './groups/index.ts'

export const PersonGroups = named('PersonGroups', closed({ groups: GroupNames }))
export const GroupNameList = Type.Array(GroupName, { description: 'Names of groups, sorted as bytes.' })

/** For the audit log. */
export const changedGroups = ({ person, before, after }: { person: Member } & Sides): Change => ({
  target: { type: 'person', id: person.id },
  before: { groups: before },
  after: { groups: after },
})
