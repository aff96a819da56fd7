import type { Vault } from '../keys/index.ts'
import type { CustomHeaders } from './custom-headers.ts'

const placeOf = (organizationId: string) => ({ organizationId, column: 'webhooks.custom_headers' })

/** As they are stored; null when there are none. */
export const sealHeaders = (vault: Vault, organizationId: string, headers: CustomHeaders): Buffer | null =>
  Object.keys(headers).length > 0 ? vault.seal(JSON.stringify(headers), placeOf(organizationId)) : null

/** Throws when no master key opens them. */
export const openHeaders = (vault: Vault, organizationId: string, sealed: Buffer | null): CustomHeaders =>
  sealed ? JSON.parse(vault.open(sealed, placeOf(organizationId)).toString()) : {}
