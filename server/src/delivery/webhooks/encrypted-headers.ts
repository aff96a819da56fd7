import type { Keyring } from '../../ground/keys/index.ts'
import type { CustomHeaders } from './custom-headers.ts'

const contextOf = (organizationId: string) => ({ organizationId, column: 'webhooks.custom_headers' })

/** Null when there are none. */
export const encryptHeaders = (keyring: Keyring, organizationId: string, headers: CustomHeaders): Buffer | null =>
  Object.keys(headers).length > 0 ? keyring.encrypt(JSON.stringify(headers), contextOf(organizationId)) : null

/** Throws when no master key decrypts them. */
export const decryptHeaders = (keyring: Keyring, organizationId: string, encrypted: Buffer | null): CustomHeaders =>
  encrypted ? JSON.parse(keyring.decrypt(encrypted, contextOf(organizationId)).toString()) : {}
