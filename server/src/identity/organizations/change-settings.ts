import { type TSchema, Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { lockOrganization } from '../../ground/database/lock-organization.ts'
import { badRequest } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { closed, named, nullable, rule } from '../../ground/http/chain/schemas.ts'
import { toEmailDomain } from './email-domain.ts'
import { maxDomains, SettingsRecord, settingsFields } from './get-settings.ts'
import { findSettings, type Settings, updateSettings } from './organization-store.ts'

const defaults: Settings = { self_registration: true, allowed_email_domains: [], link_by_verified_email: false }

const { self_registration, allowed_email_domains, link_by_verified_email } = settingsFields
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
  }),
)

export const changeSettings = ({ database }: { database: Database }) =>
  operation({
    id: 'changeSettings',
    method: 'PATCH',
    path: '/organizations/settings',
    scope: 'settings:write',
    tag: 'Organization settings',
    summary: 'Change the settings',
    description:
      'Absent fields stay as they are; `null` restores the default: `true`, `[]` and `false`. A domain listed twice counts once.',
    body: SettingsChanges,
    rules: [({ body }) => readDomains(body.allowed_email_domains ?? [])],
    result: SettingsRecord,
    handle: ({ organizationId, record, body }) => {
      const domains = body.allowed_email_domains
      const changes = {
        self_registration: orDefault(body.self_registration, 'self_registration'),
        allowed_email_domains: orDefault(domains && readDomains(domains), 'allowed_email_domains'),
        link_by_verified_email: orDefault(body.link_by_verified_email, 'link_by_verified_email'),
      }
      return database.transaction(async (tx) => {
        const [, before, after] = await Promise.all([
          lockOrganization(tx, organizationId),
          findSettings(tx, organizationId),
          updateSettings(tx, organizationId, changes),
        ])
        await record(tx, organizationId, { target: { type: 'settings', id: organizationId }, before, after })
        return after
      })
    },
  })

const orDefault = <Name extends keyof Settings>(value: Settings[Name] | null | undefined, name: Name) =>
  value === null ? defaults[name] : value

function readDomains(texts: (string | undefined)[]): string[] {
  const domains = texts.map((text) => (text === undefined ? '' : toEmailDomain(text)))
  const problems = domains.flatMap((domain, index) =>
    domain === undefined ? [`allowed_email_domains[${index}]: must be a domain name, such as example.com`] : [],
  )
  if (problems.length > 0) throw badRequest(...problems)
  return [...new Set(domains as string[])]
}
