import type { Transaction } from '../../../ground/database/database.ts'
import { badRequest, conflict } from '../../../ground/errors.ts'
import type { FindKept, KeptGroup } from '../../organizations/index.ts'
import { changesOf, type Sides } from './group-changes.ts'

/**
 * Throws a 409 that names each of these groups that a directory keeps. A statement before has locked the groups, so that no directory is
 * given one of them before the end of the transaction.
 */
export async function refuseKept(findKept: FindKept, tx: Transaction, organizationId: string, groups: string[]) {
  const kept = await findKept(tx, organizationId, groups)
  if (kept.length > 0)
    throw conflict(
      'group_kept_by_directory',
      ...kept.map((each) => `group: ${each.group} is ${keptBy(each)} and changed there`),
    )
}

/** For all groups of a person: throws a 400 where those that directories keep would not stay as they are. */
export async function refuseKeptChanges(findKept: FindKept, tx: Transaction, organizationId: string, sides: Sides) {
  const { added, removed } = changesOf(sides)
  const changed = [...added, ...removed]
  if (changed.length === 0) return
  const problems = (await findKept(tx, organizationId, changed)).map((each) =>
    added.includes(each.group)
      ? `groups: must be without ${each.group}, ${keptBy(each)}, which does not have the person in it`
      : `groups: must have ${each.group}, ${keptBy(each)}, which has the person in it`,
  )
  if (problems.length > 0) throw badRequest('group_kept_by_directory', ...problems)
}

const keptBy = ({ directory }: KeptGroup) => `kept by the directory ${directory}`
