import type { Vault } from '../keys/index.ts'

const contextOf = (organizationId: string) => ({ organizationId, column: 'oidc_credentials.client_secret' })

export const encryptSecret = (vault: Vault, organizationId: string, clientSecret: string): Buffer =>
  vault.seal(clientSecret, contextOf(organizationId))

/** Throws if no master key decrypts it. */
export const decryptSecret = (vault: Vault, organizationId: string, encrypted: Buffer): string =>
  vault.open(encrypted, contextOf(organizationId)).toString()
