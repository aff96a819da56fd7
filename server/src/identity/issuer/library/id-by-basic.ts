import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'

type Body = { client_id?: unknown; [parameter: string]: unknown }

/**
 * A public application may send its id by Basic, with an empty password (RFC 6749, 2.3.1). The library takes the id from the body only,
 * so it is put there as soon as the body is read; a confidential application is refused as one without a secret.
 */
export const acceptIdByBasic = (provider: Provider) =>
  Object.defineProperty((provider as unknown as { OIDCContext: { prototype: object } }).OIDCContext.prototype, 'body', {
    configurable: true,
    set(this: { ctx: KoaContextWithOIDC }, body: Body) {
      const value = withIdByBasic(this.ctx, body)
      Object.defineProperty(this, 'body', { value, writable: true, enumerable: true, configurable: true })
    },
  })

function withIdByBasic({ req: { headers } }: KoaContextWithOIDC, body: Body): Body {
  const id = idByBasic(headers.authorization)
  if (id === undefined || (body.client_id ?? id) !== id || body.client_secret !== undefined) return body
  delete headers.authorization
  return { ...body, client_id: id }
}

/** Undefined unless the password is empty. */
function idByBasic(header = ''): string | undefined {
  const [, encoded = ''] = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(header) ?? []
  const [, id] = /^([\w-]+):$/.exec(Buffer.from(encoded, 'base64').toString('latin1')) ?? []
  return id
}
