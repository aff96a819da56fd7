import type { Provider } from '../credentials/index.ts'
import type { ProviderOverride } from './connector.ts'
import { isObject } from './provider-fetch.ts'
import { connectors } from './registry.ts'

export type ProviderOverrides = { [Slot in Provider]?: ProviderOverride }

/** Parses the settings file `{"provider_a": {"issuer": "https://…"}}`. */
export function parseProviderOverrides(json: string): { value: ProviderOverrides } | { problem: string } {
  const parsed: unknown = JSON.parse(json)
  if (!isObject(parsed)) return { problem: 'must be a JSON object of providers' }
  const problem = Object.entries(parsed).flatMap(([slot, override]) => slotProblems(slot, override))[0]
  return problem === undefined ? { value: parsed as ProviderOverrides } : { problem }
}

/** Origins that may be called by http and at private addresses, for this provider only. */
export const trustedOrigins = ({ trust_email, ...addresses }: ProviderOverride): ReadonlySet<string> =>
  new Set(Object.values(addresses).map((address) => new URL(address).origin))

function slotProblems(slot: string, override: unknown): string[] {
  if (!Object.hasOwn(connectors, slot)) return [`${slot}: is not one of provider_a to provider_h, nor oidc`]
  if (!isObject(override)) return [`${slot}: must be an object`]
  const members: readonly string[] = [...connectors[slot as Provider].overridable, 'trust_email']
  return Object.entries(override).flatMap(([member, value]) => {
    if (!members.includes(member)) return [`${slot}.${member}: is not one of ${members.join(', ')}`]
    if (member === 'trust_email') return typeof value === 'boolean' ? [] : [`${slot}.${member}: must be true or false`]
    return isAddress(value)
      ? []
      : [`${slot}.${member}: must be an http or https address without user, query and fragment`]
  })
}

function isAddress(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url !== null && /^https?:$/.test(url.protocol) && !/[?#]/.test(String(value)) && !url.username && !url.password
}
