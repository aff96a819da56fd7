import type { KoaContextWithOIDC } from 'oidc-provider'

/** In milliseconds: for how long after its first use the application that asks may use a refresh token again. */
export const graceOf = ({ oidc }: Pick<KoaContextWithOIDC, 'oidc'>): number =>
  Number(oidc.client?.refresh_token_grace_ms ?? 0)
