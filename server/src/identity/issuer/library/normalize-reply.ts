import type { KoaContextWithOIDC } from 'oidc-provider'
import { routes } from '../addresses.ts'
import { describeError } from './described-errors.ts'
import { addedParameters, withParameters } from './redirect-uri.ts'
import { unitOfWork } from './unit-of-work.ts'

/** Of discovery and key set, in seconds: a key is published for longer before it signs. */
const maxAgeSeconds = 300

/** Those of applications that have a secret. */
const confidentialMethods = ['client_secret_basic', 'client_secret_post']

/** Called by pages of applications. Without an `Origin`, the library would let any page read the reply. */
const corsPaths = new Set([routes.token, routes.userinfo, routes.revocation])

/** Changes a reply of the library where standards or clients expect another one. */
export function normalizeReply(ctx: KoaContextWithOIDC) {
  const { route, params } = ctx.oidc ?? {}
  if (route === 'discovery') normalizeDiscovery(ctx)
  if (route === 'discovery' || route === 'jwks') ctx.set('cache-control', `public, max-age=${maxAgeSeconds}`)
  // RFC 7009 defines no body, but some clients read every reply as JSON.
  if (route === 'revocation' && ctx.status === 200 && ctx.method === 'POST') ctx.body = {}
  if (route === 'introspection' || (corsPaths.has(ctx.path) && !ctx.get('origin'))) removeCorsHeaders(ctx)
  if (route === 'authorization' || route === 'resume') {
    describeError(ctx)
    keepRedirectUri(ctx, params?.redirect_uri)
  }
  if (route === 'end_session_confirm')
    keepRedirectUri(ctx, unitOfWork(ctx).session?.payload.state?.postLogoutRedirectUri)
}

function normalizeDiscovery({ body, status }: KoaContextWithOIDC) {
  if (status !== 200 || typeof body !== 'object' || body === null) return
  const document = body as { claims_supported: string[]; [name: string]: unknown }
  // Back-Channel Logout 1.0, 2.1: the logout tokens are ours, and the library does not know of them.
  document.backchannel_logout_supported = true
  document.backchannel_logout_session_supported = true
  document.introspection_endpoint_auth_methods_supported = confidentialMethods
  document.revocation_endpoint_auth_methods_supported = document.token_endpoint_auth_methods_supported
}

function removeCorsHeaders(ctx: KoaContextWithOIDC) {
  for (const name of Object.keys(ctx.response.headers)) if (name.startsWith('access-control-')) ctx.remove(name)
}

/** The library serializes the address again, which may change the query that was registered. */
function keepRedirectUri(ctx: KoaContextWithOIDC, uri: unknown) {
  const location = ctx.response.get('location')
  if (typeof uri !== 'string' || !leadsTo(location, uri)) return
  const { hash } = new URL(location)
  ctx.set('location', hash ? uri + hash : withParameters(uri, addedParameters(location, uri)))
}

/** Whether a redirect goes to that address, and not to a page of ours. */
function leadsTo(location: string, uri: string): boolean {
  const [to, registered] = [URL.parse(location), URL.parse(uri)]
  if (!to || !registered) return false
  return to.protocol === registered.protocol && to.host === registered.host && to.pathname === registered.pathname
}
