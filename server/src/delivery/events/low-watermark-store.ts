import type { Transaction } from '../../ground/database/database.ts'
import { findEnd } from '../../ground/positions/index.ts'

/**
 * Notes by organization the position of the newest event of a partition, in the transaction that drops it. The lock waits for open
 * writers. Walks the organizations, one probe of the index of positions each: a day may have millions of events. Throws where readers
 * are held back before one of its events, which they could then never read.
 */
export async function noteDropped(tx: Transaction, partition: string) {
  const run = <Row>(text: string) => tx.rows<Row>({ name: '', text, values: [] })
  await run(`lock table ${partition} in share mode`)
  const end = await findEnd(tx)
  const marks = await run<{ position: number }>(`
    with recursive newest as (
      (select org_id, position from ${partition} where position is not null order by org_id desc, position desc limit 1)
      union all
      select following.* from newest n cross join lateral (
        select org_id, position from ${partition} where position is not null and org_id < n.org_id
         order by org_id desc, position desc limit 1) following
    )
    insert into event_low_watermarks as f (org_id, position) select org_id, position from newest
        on conflict (org_id) do update set position = greatest(f.position, excluded.position)
    returning position`)
  if (marks.some(({ position }) => position > end))
    throw new Error(`${partition}: is kept, because readers of the feed are held back before its newest event`)
}
