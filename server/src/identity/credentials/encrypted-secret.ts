import type { Keyring } from '../../ground/keys/index.ts'

const contextOf = (organizationId: string) => ({ organizationId, column: 'oidc_credentials.client_secret' })

export const encryptSecret = (keyring: Keyring, organizationId: string, clientSecret: string): Buffer =>
  keyring.encrypt(clientSecret, contextOf(organizationId))

/** Throws if no master key decrypts it. */
export const decryptSecret = (keyring: Keyring, organizationId: string, encrypted: Buffer): string =>
  keyring.decrypt(encrypted, contextOf(organizationId)).toString()
