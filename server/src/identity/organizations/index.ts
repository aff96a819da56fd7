/**
 * Organizations: the tenants, the keys that speak for them, and the limits of their tiers.
 *
 * Owns: /organizations and /organizations/{id} (the operator's), /organizations/settings, /organizations/api-keys,
 * /organizations/quota, /sso/logos; the tables organizations, organization_logos, api_keys, console_access (the groups that open the
 * console, `console-access/`) and moved_organizations (which is at another cell, or on the way); which key is valid, what a pricing tier
 * allows, how the pages of an organization look (`branding/`), and how long the links last that it hands out, and how often their tokens
 * may be guessed (`links/`).
 * A deleted organization is refused at once; `purgeDeletedOrganizations` removes its rows later, with the only statement
 * that writes tables of all slices.
 * Leaves to `keys` an organization's signing keys, to `queue` the closing of its lanes, and to each slice the counting
 * of what it owns: those functions are handed in.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { changeLogo, deleteLogo } from './branding/change-logo.ts'
import { changeApiKey } from './change-api-key.ts'
import { changeOrganization } from './change-organization.ts'
import { changeSettings } from './change-settings.ts'
import { createApiKey } from './create-api-key.ts'
import { createKeyAsOperator } from './create-key-as-operator.ts'
import { createOrganizationOperation } from './create-organization.ts'
import { deleteOrganization } from './delete-organization.ts'
import { getCurrentTier } from './get-current-tier.ts'
import { getOrganization } from './get-organization.ts'
import { getSettings } from './get-settings.ts'
import { getUsage } from './get-usage.ts'
import { listApiKeys } from './list-api-keys.ts'
import { listOrganizations } from './list-organizations.ts'
import { revokeApiKey } from './revoke-api-key.ts'

export { keysWith } from './api-key.ts'
export {
  byUrgency,
  countValidKeys,
  type ExpirySpan,
  findExpiringKeys,
  namesOfKeys,
  searchKeys,
} from './api-key-store.ts'
export { createAuthentication, type KeyAuthentication, organizationOfKey } from './authentication.ts'
export { findBrand } from './branding/branding-store.ts'
export { createLookOf, type LookOf, logoPath } from './branding/look.ts'
export { serveLogos } from './branding/serve-logo.ts'
export { holdConsoleAccess } from './console-access/console-access-store.ts'
export {
  createKeepOwner,
  createKeepSomeOwner,
  type KeepOwner,
  type KeepSomeOwner,
} from './console-access/keep-owner.ts'
export { createOrganization } from './create-organization.ts'
export { toEmailDomain } from './email-domain.ts'
export type { FindKept, KeptGroup } from './kept-groups.ts'
export { createKeyUses, type KeyUse } from './key-uses.ts'
export { linkLifetime, readLinkLifetime } from './links/lifetime.ts'
export { createTokenAttempts, LinkToken } from './links/token-attempts.ts'
export {
  findMove,
  lockMove,
  notServed,
  refuseIfMoving,
  removeMove,
  saveMove,
} from './move-mark-store.ts'
export { type OperatorGroup, operatorsIn, refuseIfOperators } from './operator-group.ts'
export {
  closeOrganization,
  findOrganization,
  findSettings,
  firstOrganizationId,
  giveUpOrganization,
  openOrganization,
  type Settings,
} from './organization-store.ts'
export { purgeDeletedOrganizations } from './purge-organizations.ts'
export { type IsOwner, requireStill } from './require-still.ts'
export { builtInTiers, defaultTier, limitsOf, parseTiers, renewTiers, type Tiers } from './tiers.ts'

type Dependencies = Parameters<typeof createOrganizationOperation>[0] &
  Parameters<typeof createApiKey>[0] &
  Parameters<typeof deleteOrganization>[0] &
  Parameters<typeof getUsage>[0] &
  Parameters<typeof changeSettings>[0]

export const organizationsOperations = (dependencies: Dependencies): Operation[] => [
  createOrganizationOperation(dependencies),
  listOrganizations(dependencies),
  getOrganization(dependencies),
  changeOrganization(dependencies),
  deleteOrganization(dependencies),
  createKeyAsOperator(dependencies),
  getSettings(dependencies),
  changeSettings(dependencies),
  changeLogo(dependencies),
  deleteLogo(dependencies),
  createApiKey(dependencies),
  listApiKeys(dependencies),
  changeApiKey(dependencies),
  revokeApiKey(dependencies),
  getCurrentTier(dependencies),
  getUsage(dependencies),
]
