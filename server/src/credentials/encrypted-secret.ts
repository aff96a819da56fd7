import type { Vault } from '../keys/index.ts'

const placeOf = (organizationId: string) => ({ organizationId, column: 'oidc_credentials.client_secret' })

/** As it is stored. */
export const sealSecret = (vault: Vault, organizationId: string, clientSecret: string): Buffer =>
  vault.seal(clientSecret, placeOf(organizationId))

/** Throws when no master key opens it. */
export const openSecret = (vault: Vault, organizationId: string, sealed: Buffer): string =>
  vault.open(sealed, placeOf(organizationId)).toString()
