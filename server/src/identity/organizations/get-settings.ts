import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { named } from '../../ground/http/chain/schemas.ts'
import { findSettings } from './organization-store.ts'

export const maxDomains = 100

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
}

export const SettingsRecord = named(
  'Settings',
  Type.Object(settingsFields, { description: 'Who may register, and whose identities are linked.' }),
)

export const getSettings = ({ database }: { database: Database }) =>
  operation({
    id: 'getSettings',
    method: 'GET',
    path: '/organizations/settings',
    scope: 'settings:read',
    tag: 'Organization settings',
    summary: 'Get the settings',
    result: SettingsRecord,
    handle: ({ organizationId }) => findSettings(database.read, organizationId),
  })
