import type { Queries } from '../../../ground/database/database.ts'
import { readServer } from './region-store.ts'

/** Throws one readable line when commits could be lost on this server, or its role cannot see the `others`. */
export async function checkServer(queries: Queries, others: string[]) {
  const { flushes, role, seesStandbys } = await readServer(queries)
  if (!flushes)
    throw new Error(
      'database: synchronous_commit is off, for the server, the database or the role: acknowledged changes could be lost; set it to on',
    )
  if (others.length > 0 && !seesStandbys)
    throw new Error(
      `SIGNET_REGIONS: the role ${role} cannot see other regions; as a superuser: grant pg_monitor to ${role}`,
    )
}
