import type { Static } from 'typebox'
import type { Database, Transaction } from '../../ground/database/database.ts'
import { forbidden } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import type { KeepOwner } from '../organizations/index.ts'
import { CredentialChanges, mergeFields } from './credential-fields.ts'
import { CredentialPath, CredentialRecord, KeepSessions, noSuchCredential, toRecord } from './credential-record.ts'
import {
  type CredentialColumns,
  findByClientId,
  lockCredential,
  updateCredential,
  type Wait,
  waitsNoMore,
} from './credential-store.ts'
import type { EndCredential, OnChange, RemoveCredentialFromDirectory } from './credentials.ts'
import { encryptSecret } from './encrypted-secret.ts'
import { pointElsewhere } from './provider-options.ts'
import type { OperatorServers } from './trusted-domains.ts'

type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  baseUrl: string
  servers: OperatorServers
  onChange: OnChange
  endCredential: EndCredential
  removeCredentialFromDirectory: RemoveCredentialFromDirectory
  keepOwner: KeepOwner
}

export const changeCredential = ({
  database,
  clock,
  keyring,
  baseUrl,
  servers,
  onChange,
  endCredential,
  removeCredentialFromDirectory,
  keepOwner,
}: Dependencies) =>
  operation({
    id: 'modifyOidcCredential',
    method: 'PATCH',
    path: '/organizations/sso/oidc/provider-credentials/:oauth_client_id',
    scope: 'credentials:write',
    tag: 'SSO credentials',
    summary: 'Modify OIDC credentials for SSO',
    description:
      'A JSON Merge Patch: what is absent stays, also within `options`, and `null` restores the default. The client secret ' +
      'can be replaced and not removed. It is sent to `organization_url` or `issuer`: a key that is no admin key changes these only ' +
      'together with the secret (403), and `active` and `trust_email_domains` not at all (403). Where it points the credential to ' +
      'another `tenant`, `organization_url` or `issuer`, the credential is inactive until an admin key sets `active`. Whoever points it ' +
      'elsewhere empties `trust_email_domains`, unless the same change gives a list, and takes it from the directory that names it. Where an ' +
      'admin key sets `active` to false, sessions, refresh tokens and codes that came of them end at once, which their applications hear, ' +
      'unless `keep_sessions` is true. An owner does not switch off those without which no owner can sign in (409).',
    params: CredentialPath,
    query: KeepSessions,
    body: CredentialChanges,
    rules: [
      async ({ organizationId, params, body }) => {
        const before = await findByClientId(database.read, organizationId, params.oauth_client_id)
        return before && mergeFields(before, before.provider, body, servers)
      },
    ],
    result: CredentialRecord,
    refusals: [409],
    handle: ({ organizationId, principal, isAdmin, record, params, query, body }) => {
      const change = async (tx: Transaction) => {
        const before = await lockCredential(tx, organizationId, params.oauth_client_id)
        if (!before) throw noSuchCredential()
        const secret = body.client_secret
        const client_secret =
          secret === undefined ? before.client_secret : encryptSecret(keyring, organizationId, secret)
        const fields = mergeFields(before, before.provider, body, servers)
        const isElsewhere = pointElsewhere(before.provider, before.options, fields.options)
        if (!isAdmin) requireConfirmed({ before, after: fields, isElsewhere, body })
        const active = fields.active && (isAdmin || !isElsewhere)
        const isWork = isElsewhere && !isAdmin
        const wait = waitAfter(before, { active, isWork, isDecided: isAdmin && body.active === false }, clock.now())
        const credential = { ...before, ...fields, active, client_secret, ...wait }
        if (isElsewhere) await removeCredentialFromDirectory(tx, organizationId, credential.id, record)
        await updateCredential(tx, organizationId, credential.id, credential)
        // Also of one that is off already: a narrower key may have pointed it elsewhere, and its sessions were kept.
        const isSwitchedOff = isAdmin && !active && (before.active || body.active === false)
        if (isSwitchedOff && query.keep_sessions !== 'true') await endCredential(tx, organizationId, credential.id)
        await record(tx, organizationId, {
          target: { type: 'oidc_credential', id: credential.client_id },
          before: toRecord(before, baseUrl),
          after: { ...toRecord(credential, baseUrl), client_secret: secret },
        })
        tx.afterCommit(() => onChange(organizationId, credential.id))
        return toRecord(credential, baseUrl)
      }
      return database.transaction((tx) => keepOwner(tx, organizationId, principal, () => change(tx)))
    },
  })

/** `isWork`: it is to be confirmed. `isDecided`: an admin key says that it stays off. */
function waitAfter(
  { waits_since, waits_for }: Wait,
  { active, isWork, isDecided }: { active: boolean; isWork: boolean; isDecided: boolean },
  now: number,
): Wait {
  if (active || isDecided) return waitsNoMore
  return isWork ? { waits_since: new Date(now), waits_for: 'key' } : { waits_since, waits_for }
}

type Change = {
  before: Pick<CredentialColumns, 'active' | 'trust_email_domains'>
  after: Pick<CredentialColumns, 'active' | 'options'>
  isElsewhere: boolean
  body: Pick<Static<typeof CredentialChanges>, 'active' | 'client_secret' | 'trust_email_domains'>
}

/** Throws a 403 for what only admin keys do. */
function requireConfirmed({ before, after, isElsewhere, body }: Change) {
  const namesServer = after.options.organization_url !== undefined || after.options.issuer !== undefined
  if (isElsewhere && namesServer && body.client_secret === undefined) throw sendsSecretElsewhere()
  const named = body.trust_email_domains
  if (named !== undefined && before.trust_email_domains.length + (named ?? []).length > 0) throw trustedByAdminKeys()
  if (after.active !== before.active) throw confirmedByAdminKeys()
  if (isElsewhere && body.active !== undefined && after.active) throw confirmedElsewhere()
}

/** Otherwise whoever may change a credential could have its secret, which no key may read, sent to a server of their own. */
const sendsSecretElsewhere = () =>
  forbidden(
    'admin_required',
    'client_secret: is required with a new organization_url or issuer, unless the key is an admin key',
  )

/** What somebody else entered or pointed elsewhere is in use only once the organization has confirmed it. */
const confirmedByAdminKeys = () =>
  forbidden('admin_required', 'active: must stay as it is, unless the key is an admin key')
const confirmedElsewhere = () =>
  forbidden(
    'admin_required',
    'active: must be absent with a new tenant, organization_url or issuer, unless the key is an admin key',
  )
/** Whom a provider is believed about is the organization's to decide. */
const trustedByAdminKeys = () =>
  forbidden('admin_required', 'trust_email_domains: must be absent, unless the key is an admin key')
