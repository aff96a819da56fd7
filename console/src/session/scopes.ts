import type { ApiKey } from '@signet/management'

export type KeyScope = ApiKey['scopes'][number]

/** The areas of the interface, and what a scope of each allows. */
export const areas = [
  ['groups', 'groups, and who is in them'],
  ['persons', 'persons and their identities'],
  ['webhooks', 'webhooks, triggers and dry runs'],
  ['hooks', 'synchronous hooks, beside webhooks: what tokens say of everybody'],
  ['deliveries', 'what became of deliveries; to write is to resend them'],
  ['events', 'the feed; to write is to publish test events'],
  ['credentials', 'by which providers persons sign in'],
  ['directories', "customers' directories, which keep persons and groups by SCIM"],
  ['applications', 'applications and their redirect URIs'],
  ['resources', 'APIs and the scopes of their access tokens'],
  ['settings', 'who may register, tier and usage'],
  ['api-keys', 'keys, within what the key itself has'],
  ['audit-log', 'who changed what'],
] as const

/** Nothing writes the audit log. */
const isThere = (scope: string): scope is KeyScope => scope !== 'audit-log:write'

export const scopes: readonly KeyScope[] = areas
  .flatMap(([area]) => [`${area}:read`, `${area}:write`])
  .filter((scope) => isThere(scope))
