import type { Transaction } from '../../ground/database/database.ts'
import { vouchByDirectory, withdrawByDirectory } from '../persons/index.ts'
import { lockAddresses } from './user-store.ts'

/** Addresses of one statement. */
const limit = 1_000

/** From now on the directory, which is locked, vouches for addresses in the domains of `after`, and for no others. */
export async function changeVouching(
  tx: Transaction,
  organizationId: string,
  id: string,
  { before, after }: { before: string[]; after: string[] },
) {
  if (before.some((domain) => !after.includes(domain))) await withdrawByDirectory(tx, organizationId, id, after)
  const domains = after.filter((domain) => !before.includes(domain))
  if (domains.length === 0) return
  let keys: string[] = []
  do {
    keys = await lockAddresses(tx, organizationId, id, { domains, after: keys.at(-1) ?? '', limit })
    await vouchByDirectory(tx, organizationId, id, keys)
  } while (keys.length === limit)
}
