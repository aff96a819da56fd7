import { type Static, type TSchema, Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { lockOrganization } from '../../ground/database/lock-organization.ts'
import { badRequest, forbidden } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { closed, named, nullable, rule } from '../../ground/http/chain/schemas.ts'
import { standardLanguage } from '../../ground/http/pages/index.ts'
import { toEmailDomain } from './email-domain.ts'
import { Branding, maxDomains, SettingsRecord, settingsFields, toSettings } from './get-settings.ts'
import { findSettings, type Settings, updateSettings } from './organization-store.ts'

const defaults: Settings = {
  self_registration: true,
  allowed_email_domains: [],
  link_by_verified_email: false,
  default_locale: standardLanguage,
  display_name: null,
  accent_color: null,
}

const { self_registration, allowed_email_domains, link_by_verified_email, default_locale } = settingsFields
const settingOrNull = <Schema extends TSchema & { description?: string }>(schema: Schema, text: string) =>
  Type.Optional({ ...nullable(schema), ...rule(text) })

const SettingsChanges = named(
  'SettingsChanges',
  closed({
    self_registration: settingOrNull(self_registration, 'must be true, false or null'),
    allowed_email_domains: settingOrNull(
      allowed_email_domains,
      `must be an array of at most ${maxDomains} domain names, or null`,
    ),
    link_by_verified_email: settingOrNull(link_by_verified_email, 'must be true, false or null'),
    default_locale: Type.Optional(nullable(default_locale)),
    branding: Type.Optional(nullable(Branding)),
  }),
)
type SettingsChanges = Static<typeof SettingsChanges>

export const changeSettings = ({ database, baseUrl }: { database: Database; baseUrl: string }) =>
  operation({
    id: 'changeSettings',
    method: 'PATCH',
    path: '/organizations/settings',
    scope: 'settings:write',
    tag: 'Organization settings',
    summary: 'Change the settings',
    description:
      'Absent fields stay as they are; `null` restores the default: `true`, `[]`, `false`, `en` and `{}`. A domain listed twice counts ' +
      'once. `branding` is replaced as a whole, and by admin keys alone: it says to persons who asks them to sign in.',
    body: SettingsChanges,
    rules: [({ body }) => readDomains(body.allowed_email_domains ?? [])],
    result: SettingsRecord,
    handle: ({ organizationId, record, body, isAdmin }) => {
      if (body.branding !== undefined && !isAdmin) throw forbidden('branding: may be changed by admin keys only')
      const changes = readChanges(body)
      return database.transaction(async (tx) => {
        await lockOrganization(tx, organizationId)
        const stored = await findSettings(tx, organizationId)
        if (!stored) return undefined
        const changed = { ...stored, ...changes }
        await updateSettings(tx, organizationId, changed)
        const [before, after] = [stored, changed].map((each) => toSettings(each, organizationId, baseUrl))
        await record(tx, organizationId, { target: { type: 'settings', id: organizationId }, before, after })
        return after
      })
    },
  })

/** Only what is there. Throws a 400. */
function readChanges({ branding, ...body }: SettingsChanges): Partial<Settings> {
  const domains = body.allowed_email_domains
  const given = { ...body, ...(domains && { allowed_email_domains: readDomains(domains) }) }
  return { ...orDefaults(given), ...(branding !== undefined && brandingColumns(branding)) }
}

const orDefaults = (given: Omit<SettingsChanges, 'branding'>): Partial<Settings> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? defaults[name as keyof Settings]]))

const brandingColumns = (branding: Static<typeof Branding> | null) => ({
  display_name: branding?.display_name ?? null,
  accent_color: branding?.accent_color?.toLowerCase() ?? null,
})

function readDomains(texts: (string | undefined)[]): string[] {
  const domains = texts.map((text) => (text === undefined ? '' : toEmailDomain(text)))
  const problems = domains.flatMap((domain, index) =>
    domain === undefined ? [`allowed_email_domains[${index}]: must be a domain name, such as example.com`] : [],
  )
  if (problems.length > 0) throw badRequest(...problems)
  return [...new Set(domains as string[])]
}
