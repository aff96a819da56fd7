import type { Signet } from '@signet/management'
import type { Check } from './change.ts'
import { bodyOf, type Change, differingFields, type PlanOptions } from './change.ts'
import { type DesiredOrganization, sections } from './document.ts'
import { planSection } from './plan-section.ts'
import type { Desired } from './resources.ts'
import type { Fields } from './section.ts'
import { changeSettings, readSettings, readTier, settingTypes } from './settings.ts'

/** The steps for one organization: what is made or changed first, so that what replaces another is there before that goes. */
export type Plan = { organizationId: string; changes: Change[]; deletions: Change[] }

export type PlanContext = {
  organizationId: string
  /** With the key of the organization. */
  signet: Signet
  hasOperatorKey: boolean
}

/** Reads what is there of all that the file manages. Where one read fails, there is no plan. */
export async function makePlan(
  desired: DesiredOrganization,
  context: PlanContext,
  options: PlanOptions,
): Promise<Plan> {
  const { signet, organizationId } = context
  const changes = [...(await planTier(desired, context)), ...(await planSettings(signet, desired.settings))]
  for (const section of sections) {
    const resources = desired.resources[section.name]
    if (resources) changes.push(...(await planSection(signet, section, resources, { options, earlier: changes })))
  }
  const isDeletion = ({ action }: Change) => action === 'delete'
  return {
    organizationId,
    changes: changes.filter((change) => !isDeletion(change)),
    deletions: changes.filter(isDeletion),
  }
}

async function planTier(
  { pricingTier, refuse }: DesiredOrganization,
  { signet, organizationId, hasOperatorKey }: PlanContext,
) {
  if (pricingTier === undefined) return []
  const before = await readTier(signet)
  if (before === pricingTier) return []
  if (!hasOperatorKey)
    refuse('pricing_tier', `is ${before}; to change it takes the operator key, in SIGNET_OPERATOR_KEY`)
  const change = (more = {}) =>
    signet.changeOrganization({ path: { id: organizationId }, body: { pricing_tier: pricingTier, ...more } })
  const run = async () => {
    await change()
    return undefined
  }
  const check: Check = { send: change, refuse: (_, rule) => refuse('pricing_tier', rule) }
  const fields = [{ field: 'pricing_tier', before, after: pricingTier, isHidden: false }]
  return [{ action: 'change' as const, kind: 'organization', name: organizationId, fields, check, run }]
}

async function planSettings(signet: Signet, desired: Desired | undefined): Promise<Change[]> {
  if (!desired) return []
  const fields = differingFields(await readSettings(signet), desired, { types: settingTypes })
  const run = async () => {
    await changeSettings(signet, bodyOf(fields))
    return undefined
  }
  const send = (more: Fields) => changeSettings(signet, { ...bodyOf(fields), ...more })
  const check = { send, refuse: desired.refuse }
  return fields.length > 0 ? [{ action: 'change', kind: 'settings', fields, check, run }] : []
}
