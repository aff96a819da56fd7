import type { KoaContextWithOIDC } from 'oidc-provider'

/** What the library says without a word of explanation. */
const descriptions: Record<string, string> = {
  request_not_supported: 'the parameter request is not supported: send its members as parameters',
  request_uri_not_supported:
    'the parameter request_uri is not supported: send the members of the request as parameters',
  registration_not_supported: 'the parameter registration is not supported',
}

export const describedAs = (error: string, description: string | undefined) => description ?? descriptions[error]

/** Adds what is missing to an error on its way to the application. */
export function describeError(ctx: KoaContextWithOIDC) {
  const url = URL.parse(ctx.response.get('location'))
  if (!url) return
  const isInFragment = url.hash.includes('error=')
  const parameters = isInFragment ? new URLSearchParams(url.hash.slice(1)) : url.searchParams
  const description = descriptions[parameters.get('error') ?? '']
  if (!description || parameters.has('error_description')) return
  parameters.set('error_description', description)
  if (isInFragment) url.hash = parameters.toString()
  ctx.set('location', url.href)
}
