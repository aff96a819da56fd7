import type { Queries } from '../../ground/database/database.ts'
import { countKept } from './directory-store.ts'
import { newestRefusals } from './refusals/refusal-store.ts'

/** Records of directories, with how many persons and groups each keeps, and what of it was refused last. */
export async function counted<Shown extends { id: string }>(
  queries: Queries,
  organizationId: string,
  directories: Shown[],
) {
  const ids = directories.map(({ id }) => id)
  const [counts, refusals] = await Promise.all([
    countKept(queries, organizationId, ids),
    newestRefusals(queries, organizationId, ids),
  ])
  const countsOf = new Map(counts.map(({ id, ...kept }) => [id, kept]))
  const refusalOf = new Map(refusals.map(({ directory_id, ...refusal }) => [directory_id, refusal]))
  return directories.map((directory) => {
    const last_refusal = refusalOf.get(directory.id)
    return { ...directory, ...(countsOf.get(directory.id) ?? none), ...(last_refusal && { last_refusal }) }
  })
}

const none = { users_count: 0, groups_count: 0 }
