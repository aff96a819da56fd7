import type { LoadLogoutTargets } from '../../../delivery/logouts/index.ts'
import { importTypedKey, type Keyring, type SigningKey } from '../../../ground/keys/index.ts'
import { setBounded } from '../../../ground/runtime/bounded-map.ts'
import { cacheTtlMs } from '../../../ground/runtime/cache.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { issuerOf } from '../addresses.ts'
import { contextOf } from './issuer-keys.ts'
import { type LogoutTargetRow, loadLogoutTargetRows } from './logout-target-store.ts'

/** Keys in memory; decrypting and importing one takes longer than a signature of ES256. */
const maxKeys = 1_000

type Dependencies = {
  clock: Clock
  keyring: Keyring
  baseUrl: string
  onUnreadable: (organizationId: string, error: unknown) => void
}

/** The address of today, and the key of today's ID tokens: as they are read for each attempt. */
export function createLoadLogoutTargets({ clock, keyring, baseUrl, onUnreadable }: Dependencies): LoadLogoutTargets {
  const known = new Map<string, SigningKey>()

  const keyOf = ({ org_id, alg, kid, private_key }: LogoutTargetRow): SigningKey | undefined => {
    if (kid === null || private_key === null) return undefined
    const name = org_id + kid
    const key =
      known.get(name) ??
      importTypedKey(keyring.decrypt(private_key, contextOf(org_id)), { alg, typ: 'logout+jwt', kid })
    setBounded(known, name, key, maxKeys)
    return key
  }

  const signerOf = (row: LogoutTargetRow, lookedUpAt: number) => {
    try {
      const key = keyOf(row)
      // As long as a process goes on with a key of ID tokens that was withdrawn.
      return key && { key, goodForMs: () => cacheTtlMs - Math.abs(clock.now() - lookedUpAt) }
    } catch (error) {
      onUnreadable(row.org_id, error)
      return undefined
    }
  }

  return async (queries, applications) => {
    const lookedUpAt = clock.now()
    const organizationIds = applications.map(({ organizationId }) => organizationId)
    const clientIds = applications.map(({ clientId }) => clientId)
    const rows = await loadLogoutTargetRows(queries, organizationIds, clientIds)
    return new Map(
      rows.map((row) => [
        row.client_id,
        { targetUrl: row.uri, issuer: issuerOf(baseUrl, row.org_id), signer: signerOf(row, lookedUpAt) },
      ]),
    )
  }
}
