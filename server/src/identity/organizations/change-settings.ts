import { type Static, type TSchema, Type } from 'typebox'
import type { Database, Queries, Transaction } from '../../ground/database/database.ts'
import { lockOrganization } from '../../ground/database/lock-organization.ts'
import { badRequest, conflict, forbidden } from '../../ground/errors.ts'
import { operation, type Rest } from '../../ground/http/chain/operation.ts'
import { closed, named, nullable, rule } from '../../ground/http/chain/schemas.ts'
import { standardLanguage } from '../../ground/http/pages/index.ts'
import {
  groupsIn,
  inOrder,
  refuseMadeByDirectories,
  refuseMissing,
  refuseRepeated,
} from './console-access/console-access.ts'
import { lockConsoleAccess, replaceConsoleAccess } from './console-access/console-access-store.ts'
import type { HasOwner, KeepOwner } from './console-access/keep-owner.ts'
import { toEmailDomain } from './email-domain.ts'
import { Branding, maxDomains, SettingsRecord, settingsFields, toSettings } from './get-settings.ts'
import type { FindKept } from './kept-groups.ts'
import { findSettings, type Settings, updateSettings } from './organization-store.ts'

const defaults: Settings = {
  self_registration: true,
  allowed_email_domains: [],
  link_by_verified_email: false,
  default_locale: standardLanguage,
  display_name: null,
  accent_color: null,
  console_access: [],
  console_key_sign_in: true,
}

const {
  self_registration,
  allowed_email_domains,
  link_by_verified_email,
  default_locale,
  console_access,
  console_key_sign_in,
} = settingsFields
/** They decide who enters the console and whose account a sign-in gets, and say to persons who asks them to sign in. */
const ofAdmins = ['link_by_verified_email', 'branding', 'console_access', 'console_key_sign_in'] as const
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
    console_access: Type.Optional(nullable(console_access)),
    console_key_sign_in: settingOrNull(console_key_sign_in, 'must be true, false or null'),
  }),
)
type SettingsChanges = Static<typeof SettingsChanges>

type FindGroups<From> = (queries: From, organizationId: string, names: string[]) => Promise<string[]>

/** `holdGroups` gives the groups that exist and keeps them from being deleted. */
type Dependencies = {
  database: Database
  baseUrl: string
  existingGroups: FindGroups<Queries>
  holdGroups: FindGroups<Transaction>
  findKept: FindKept
  hasOwner: HasOwner
  keepOwner: KeepOwner
}

export const changeSettings = ({ database, baseUrl, hasOwner, keepOwner, ...find }: Dependencies) =>
  operation({
    id: 'changeSettings',
    method: 'PATCH',
    path: '/organizations/settings',
    scope: 'settings:write',
    tag: 'Organization settings',
    summary: 'Change the settings',
    description:
      'Absent fields stay as they are; `null` restores the default: `true`, `[]`, `false`, `en`, `{}`, `[]` and `true`. A domain listed ' +
      'twice counts once. `branding` and `console_access` are replaced as a whole. `link_by_verified_email`, `branding`, ' +
      '`console_access` and `console_key_sign_in` are changed by admin keys and owners alone. Where an owner would leave nobody who is an ' +
      'owner and can sign in, or `console_key_sign_in` is set to false while there is nobody, the change is refused (409).',
    body: SettingsChanges,
    rules: [
      ({ body }) => readDomains(body.allowed_email_domains ?? []),
      ({ body }) => refuseRepeated(body.console_access ?? []),
      async ({ organizationId, isAdmin, body }) => {
        // First: a key that may not change it must not learn which groups there are.
        if (!isAdmin) refuseOfAdmins(body)
        const access = body.console_access ?? []
        refuseMissing(access, await find.existingGroups(database.read, organizationId, groupsIn(access)))
      },
      async ({ organizationId, isAdmin, body }) => {
        if (!isAdmin) return
        const access = body.console_access ?? []
        refuseMadeByDirectories(access, await find.findKept(database.read, organizationId, groupsIn(access)))
      },
    ],
    result: SettingsRecord,
    refusals: [409],
    handle: ({ organizationId, principal, record, body, isAdmin, requireRecentSignIn }) => {
      if (!isAdmin) refuseOfAdmins(body)
      const changes = readChanges(body)
      const isOfConsole = changes.console_access !== undefined || changes.console_key_sign_in !== undefined
      if (isOfConsole) requireRecentSignIn()
      const write = async (tx: Transaction, changed: Settings) => {
        await updateSettings(tx, organizationId, changed)
        if (!changes.console_access) return
        // In the order of the body, whose places the refusals name.
        const access = body.console_access ?? []
        refuseMissing(access, await find.holdGroups(tx, organizationId, groupsIn(access)))
        refuseMadeByDirectories(access, await find.findKept(tx, organizationId, groupsIn(access)))
        await replaceConsoleAccess(tx, organizationId, changed.console_access)
      }
      return database.transaction(async (tx) => {
        if (isOfConsole) await lockConsoleAccess(tx, organizationId)
        await lockOrganization(tx, organizationId)
        const stored = await findSettings(tx, organizationId)
        if (!stored) return undefined
        const changed = { ...stored, ...changes }
        if (isOfConsole) await keepOwner(tx, organizationId, principal, () => write(tx, changed))
        else await write(tx, changed)
        if (changes.console_key_sign_in === false && !(await hasOwner(tx, organizationId))) throw nobodyEnters()
        const [before, after] = [stored, changed].map((each) => toSettings(each, organizationId, baseUrl))
        await record(tx, organizationId, { target: { type: 'settings', id: organizationId }, before, after })
        return after
      })
    },
  })

/** Throws a 403 that names each. */
function refuseOfAdmins(body: Rest<SettingsChanges>) {
  const given = ofAdmins.filter((name) => body[name] !== undefined)
  if (given.length > 0)
    throw forbidden('admin_required', ...given.map((name) => `${name}: may be changed by admin keys and owners only`))
}

const nobodyEnters = () =>
  conflict(
    'no_owner_yet',
    'console_key_sign_in: must stay true while no owner is active and can sign in, for nobody would enter the console',
  )

/** Only what is there. Throws a 400. */
function readChanges({ branding, ...body }: SettingsChanges): Partial<Settings> {
  const domains = body.allowed_email_domains
  const access = body.console_access
  if (access) refuseRepeated(access)
  const given = {
    ...body,
    ...(domains && { allowed_email_domains: readDomains(domains) }),
    ...(access && { console_access: inOrder(access) }),
  }
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
  if (problems.length > 0) throw badRequest('invalid_value', ...problems)
  return [...new Set(domains as string[])]
}
