import { nearest, slipsBetween } from '../../runtime/nearest.ts'
import type { Operation } from './operation.ts'

/** Names that other services have for fields of ours, and how those are written. */
const otherWords: Record<string, Record<string, string>> = {
  email: {
    handle: 'handle=EmailAddress:<address>',
    handles: 'handles: [{"type": "EmailAddress", "value": "<address>"}]',
  },
  phone: {
    handle: 'handle=PhoneNumber:<number>',
    handles: 'handles: [{"type": "PhoneNumber", "value": "<number>"}]',
  },
  search: { handle_prefix: 'handle_prefix', name: 'name' },
  page: { offset: 'offset', after: 'after' },
  per_page: { limit: 'limit' },
  page_size: { limit: 'limit' },
  cursor: { after: 'after' },
  from: { since: 'since', after: 'after' },
  url: { target_url: 'target_url' },
  events: { trigger_name: 'trigger_name' },
  event: { event_name: 'event_name', trigger_name: 'trigger_name' },
  headers: { custom_headers: 'custom_headers' },
  callback_urls: { redirect_uris: 'redirect_uris' },
  redirect_uri: { redirect_uris: 'redirect_uris' },
  role: { groups: 'groups', group: 'group' },
  roles: { groups: 'groups', group: 'group' },
}
const sameAs: Record<string, string> = {
  q: 'search',
  query: 'search',
  filter: 'search',
  email_address: 'email',
  mail: 'email',
  emails: 'email',
  phone_number: 'phone',
  endpoint: 'url',
  callback_url: 'callback_urls',
  callbacks: 'callback_urls',
  pagesize: 'page_size',
  size: 'page_size',
}

const question = (meant: string | undefined) => (meant === undefined ? '' : `; did you mean ${meant}?`)

/** What to say of a field or query parameter that is not `known`: nothing, where none of those is near. */
export function hintOfField(name: string, known: string[]): string {
  const word = name.toLowerCase()
  const ours = otherWords[sameAs[word] ?? word] ?? {}
  const other = known.find((each) => Object.hasOwn(ours, each))
  return question(other === undefined ? nearest(name, known) : ours[other])
}

/** What to say of a value that is not one of `allowed`. */
export const hintOfValue = (value: unknown, allowed: unknown[]): string =>
  question(typeof value === 'string' ? nearest(value, allowed.filter(isText)) : undefined)

const isText = (value: unknown) => typeof value === 'string'

/** Of a path and of its parts: ours have four at most. */
const maxPathLength = 200
const maxParts = 8
/** A missing or needless part at the beginning counts as much as two slips. */
const shiftWeight = 2
const maxWeight = 5
/** What stands character by character is nearer. */
const weightOfParameter = 0.25
const otherParts: Record<string, string> = {
  users: 'persons',
  user: 'persons',
  hooks: 'webhooks',
  clients: 'applications',
}

type Address = Pick<Operation, 'method' | 'path'>

/** The operation that was probably meant, such as `POST /organizations/webhooks`; empty where none is near. */
export function hintOfPath(method: string, path: string, operations: Address[]): string {
  const parts = path.slice(1).split('/')
  if (path.length > maxPathLength || parts.length > maxParts) return ''
  let best: Address | undefined
  let least = maxWeight
  for (const operation of operations) {
    // Of two that are as near, the one with the method that was asked for.
    const weightOfMethod = operation.method === method ? 0 : 0.5
    const weight = weightOfMethod + weightBetween(parts, operation.path.slice(1).split('/'), least - weightOfMethod)
    if (weight >= least) continue
    least = weight
    best = operation
  }
  return question(best && `${best.method} ${best.path.replace(/:(\w+)/g, '{$1}')}`)
}

/**
 * Both are compared from their ends: what is missed is a prefix, as `/organizations`, or added, as `/api/v1`. What weighs more than
 * `most` is not looked at further, for anybody may ask for any path, and most of ours begin alike.
 */
function weightBetween(given: string[], ours: string[], most: number): number {
  const common = Math.min(given.length, ours.length)
  // Parameters alone say nothing.
  if (ours.slice(-common).every((part) => part.startsWith(':'))) return Infinity
  let weight = Math.abs(given.length - ours.length) * shiftWeight
  for (let fromEnd = 1; fromEnd <= common && weight < most; fromEnd++)
    weight += weightOfPart(given.at(-fromEnd) ?? '', ours.at(-fromEnd) ?? '')
  return weight
}

function weightOfPart(given: string, ours: string): number {
  if (ours.startsWith(':')) return given ? weightOfParameter : Infinity
  return otherParts[given.toLowerCase()] === ours ? 1 : slipsBetween(given, ours)
}
