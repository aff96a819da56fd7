import type { FastifyInstance, FastifyRequest } from 'fastify'
import { methodNotAllowed } from '../../../ground/errors.ts'
import { pathOf } from '../../../ground/http/chain/error-reply.ts'
import { ScimError } from '../errors.ts'
import type { Admission } from './admission.ts'

type Address = { method: string; path: string }

/** Parts of RFC 7644 that a service provider need not have. */
const unsupported: Record<string, string> = {
  '': 'a search of users and groups together is not supported; ask /Users or /Groups',
  '/.search': 'a search of users and groups together is not supported; ask /Users or /Groups',
  '/Bulk': 'bulk operations are not supported; send each of its own',
  '/Me': 'a directory’s token is nobody in particular; ask /Users/{id}',
}

/** All that is below `/scim/` and has no route. Nothing of a body is read. */
export function serveUnrouted(
  scope: FastifyInstance,
  { admit }: Admission,
  refuse: ReturnType<typeof createRefuseUnrouted>,
) {
  const ofNobody = async () => {
    throw new ScimError(404, 'path: SCIM is at /scim/{organization id}/v2')
  }
  for (const url of ['/scim/:organization_id/v2', '/scim/:organization_id/v2/*'])
    scope.all(url, { onRequest: [admit, async (request) => refuse(request)] }, ofNobody)
  scope.all('/scim/*', { onRequest: ofNobody }, ofNobody)
}

/** Below the address of SCIM. */
export const pathBelow = (request: FastifyRequest) => pathOf(request).replace(/^\/scim\/[^/]*\/v2/, '')

/** Says what is wrong with the address of a request. */
export const createRefuseUnrouted =
  (addresses: Address[]) =>
  (request: FastifyRequest): never => {
    const path = pathBelow(request)
    const plain = path.replace(/\/$/, '')
    const detail = Object.hasOwn(unsupported, plain) ? unsupported[plain] : undefined
    if (detail !== undefined) throw new ScimError(501, `path: ${detail}`)
    if (plain !== path && addresses.some((each) => matches(each.path, plain)))
      throw new ScimError(404, `path: must not end in a slash; use ${plain}`)
    const methods = addresses.filter((each) => matches(each.path, path)).map(({ method }) => method)
    if (methods.length > 0) throw methodNotAllowed([...new Set(methods)].sort())
    throw new ScimError(
      404,
      'path: nothing is here; SCIM has /Users, /Groups, /Schemas, /ResourceTypes and /ServiceProviderConfig',
    )
  }

function matches(pattern: string, path: string): boolean {
  const [parts, actual] = [pattern.split('/'), path.split('/')]
  return parts.length === actual.length && parts.every((part, at) => part.startsWith(':') || part === actual[at])
}
