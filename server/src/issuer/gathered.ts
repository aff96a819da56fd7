import Provider, { type KoaContextWithOIDC } from 'oidc-provider'
import { type Gathered, gatheredFor } from './gathered-for.ts'

/** Of the request that is being served. */
export function gathered(ctx: KoaContextWithOIDC | undefined = Provider.ctx): Gathered {
  if (!ctx) throw new Error('the issuer stores nothing outside a request')
  return gatheredFor(ctx.req)
}
