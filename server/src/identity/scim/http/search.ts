import { invalidValue } from '../errors.ts'
import type { ScimRoute } from './scim-route.ts'

/** A filter and names of attributes take no more. */
const maxSearchBytes = 65_536

const names = ['filter', 'startIndex', 'count', 'attributes', 'excludedAttributes']

/** A list whose query comes in the body (RFC 7644, 3.4.3), where filters are no part of an address that proxies log. */
export const searchOf = (list: ScimRoute): ScimRoute => ({
  method: 'POST',
  path: `${list.path}/.search`,
  id: list.id,
  maxBodyBytes: maxSearchBytes,
  handle: ({ body, ...call }) => list.handle({ ...call, body: {}, query: queryIn(body) }),
})

/** Of a list of resources. */
export const isSearchable = ({ method, path }: ScimRoute) => method === 'GET' && !path.includes(':')

function queryIn(body: Record<string, unknown>): Record<string, string> {
  const given = names.filter((name) => Object.hasOwn(body, name) && body[name] !== null)
  return Object.fromEntries(given.map((name) => [name, toText(name, body[name])]))
}

function toText(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(',')
  throw invalidValue(`${name}: must be a text, a number, or a list of texts`)
}
