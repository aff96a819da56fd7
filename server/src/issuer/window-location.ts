import type { KoaContextWithOIDC } from 'oidc-provider'

/** In characters, each of which is a byte of the header; what is longer is cut. */
const maxLocation = 2_048

/** The page that led to the request: its `Referer`, or empty. */
export const windowLocationOf = (ctx: Pick<KoaContextWithOIDC, 'get'>): string =>
  ctx.get('referer').slice(0, maxLocation)
