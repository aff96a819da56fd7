import type { Database } from '../../../../src/ground/database/database.ts'
import { dropPartitions } from '../../../../src/ground/database/time-partitions.ts'
import { firstIdAt } from '../../../../src/ground/runtime/identifiers.ts'
import { dayMs, longestMs } from '../rules.ts'

/** One partition for all days of a sequence, for the log is looked into after each operation. */
export async function joinDays(database: Database, start: number) {
  const end = start + longestMs + dayMs
  const [from, to] = [firstIdAt(start - dayMs), firstIdAt(end)]
  const onError = (error: unknown) => {
    throw error
  }
  await dropPartitions(database, { events: end, finished_deliveries: end }, { beforeDrop: async () => {}, onError })
  for (const table of ['events', 'finished_deliveries']) {
    const text = `create table ${table}_all partition of ${table} for values from ('${from}') to ('${to}')`
    await database.write.rows({ name: '', text, values: [] })
  }
}
