import type { Signet } from '@signet/management'
import { boolean, branding, domains, text } from './field-types.ts'
import { type Fields, pick } from './section.ts'

export const settingTypes = {
  self_registration: boolean,
  allowed_email_domains: domains,
  link_by_verified_email: boolean,
  default_locale: text,
  branding,
}

export async function readSettings(signet: Signet): Promise<Fields> {
  const { result } = await signet.getSettings()
  if (Object.keys(settingTypes).some((name) => !Object.hasOwn(result, name)))
    throw new Error('settings: the reply is not the settings of an organization')
  return pick(result, Object.keys(settingTypes))
}

export const changeSettings = (signet: Signet, fields: Fields) => signet.changeSettings({ body: fields })

/** What the limits of the organization are called. */
export async function readTier(signet: Signet): Promise<string> {
  const { result } = await signet.getCurrentTier()
  if (typeof result?.pricing_tier !== 'string') throw new Error('pricing_tier: the reply is not a tier')
  return result.pricing_tier
}
