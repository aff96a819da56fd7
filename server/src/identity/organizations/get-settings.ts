import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { closed, named, rule, ShownName } from '../../ground/http/chain/schemas.ts'
import { languages, standardLanguage } from '../../ground/http/pages/index.ts'
import { logoPath } from './branding/look.ts'
import { ConsoleAccess } from './console-access/console-access.ts'
import { findSettings, type StoredSettings } from './organization-store.ts'

export const maxDomains = 100

const displayName = {
  ...ShownName,
  description:
    'What the pages of a sign-in call the organization, in place of its name; 1 to 200 characters, without control or format characters.',
  examples: ['Acme'],
}
const accentColor = Type.String({
  pattern: '^#[0-9A-Fa-f]{6}$',
  ...rule('must be a colour as #rrggbb'),
  description: 'The colour of the first button and of a line. Text on it is black or white, whichever is read better.',
  examples: ['#0b57d0'],
})

export const Branding = closed(
  { display_name: Type.Optional(displayName), accent_color: Type.Optional(accentColor) },
  {
    description: 'How the pages of a sign-in look. A change replaces all of it; set by admin keys alone.',
    examples: [{ display_name: 'Acme', accent_color: '#0b57d0' }],
  },
)

export const settingsFields = {
  self_registration: Type.Boolean({ description: 'Whether a first sign-in may make a new person.' }),
  allowed_email_domains: Type.Array(Type.String(), {
    maxItems: maxDomains,
    examples: [['example.com']],
    description: 'Domains whose addresses may register themselves; empty: all. A-labels in lower case.',
  }),
  link_by_verified_email: Type.Boolean({
    description:
      'Whether a first sign-in joins the person whose same address an admin key vouched for, and who never had an identity ' +
      'at that issuer.',
    examples: [false],
  }),
  default_locale: Type.Enum(languages, {
    ...rule(`must be one of ${languages.join(', ')}`),
    description:
      'The language of the pages of a sign-in where neither the application (`ui_locales`) nor the browser (`Accept-Language`) names one that ' +
      `they have. Default: ${standardLanguage}.`,
    examples: [standardLanguage],
  }),
  branding: Branding,
  console_access: ConsoleAccess,
  console_key_sign_in: Type.Boolean({
    description:
      'Whether an API key opens the console; false: only persons sign in there, and the operator. Set by admin keys and owners alone.',
  }),
}

const logoUrl = Type.String({
  description: 'Where the logo is, if there is one; `PUT /organizations/settings/logo` sets it.',
  examples: [
    'https://signet.example.com/sso/logos/0199a3f2-5c00-7000-8000-0242ac120002/n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  ],
})

export const SettingsRecord = named(
  'Settings',
  Type.Object(
    { ...settingsFields, logo_url: Type.Optional(logoUrl) },
    {
      description:
        'Who may register, whose identities are linked, how the pages of a sign-in look, and who enters the console.',
    },
  ),
)

export const getSettings = ({ database, baseUrl }: { database: Database; baseUrl: string }) =>
  operation({
    id: 'getSettings',
    method: 'GET',
    path: '/organizations/settings',
    scope: 'settings:read',
    tag: 'Organization settings',
    summary: 'Get the settings',
    result: SettingsRecord,
    handle: async ({ organizationId }) =>
      toSettings(await findSettings(database.read, organizationId), organizationId, baseUrl),
  })

/** As the interface shows them. Undefined: the organization was deleted meanwhile. */
export function toSettings(stored: StoredSettings | undefined, organizationId: string, baseUrl: string) {
  if (!stored) return undefined
  const { display_name, accent_color, logo, ...settings } = stored
  return {
    ...settings,
    branding: { ...(display_name !== null && { display_name }), ...(accent_color !== null && { accent_color }) },
    ...(logo !== null && { logo_url: baseUrl + logoPath(organizationId, logo) }),
  }
}
