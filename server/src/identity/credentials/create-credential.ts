import type { Database } from '../../ground/database/database.ts'
import { forbidden } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { addCredential } from './add-credential.ts'
import { emptyFields, mergeFields, NewCredential } from './credential-fields.ts'
import { CredentialRecord, clientIdTaken } from './credential-record.ts'
import { type Wait, waitsNoMore } from './credential-store.ts'
import type { OnChange } from './credentials.ts'
import type { OperatorServers } from './trusted-domains.ts'

type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  baseUrl: string
  /** What the operator has set for providers. */
  servers: OperatorServers
  onChange: OnChange
}

export const createCredential = ({ database, clock, keyring, baseUrl, servers, onChange }: Dependencies) =>
  operation({
    id: 'createOidcCredential',
    method: 'POST',
    path: '/organizations/sso/oidc/provider-credentials',
    scope: 'credentials:write',
    tag: 'SSO credentials',
    summary: 'Create OIDC credentials for SSO',
    description:
      'Register the `callback_url` of the answer at the provider. A client id that has a credential already: 409.\n\n' +
      'Whoever decides where persons sign in decides who they are: made by a key that is no admin key, the credential is ' +
      'inactive until an admin key sets `active`.',
    body: NewCredential,
    rules: [({ body }) => body.provider && mergeFields(emptyFields, body.provider, body, servers)],
    status: 201,
    result: CredentialRecord,
    refusals: [409],
    handle: async ({ organizationId, isAdmin, record, body }) => {
      const { client_id, client_secret, provider } = body
      // Null is the default of this key, which must not be more than it may give.
      const active = body.active ?? isAdmin
      if (active && !isAdmin) throw confirmedByAdminKeys()
      if (!isAdmin && (body.trust_email_domains ?? []).length > 0) throw trustedByAdminKeys()
      const fields = mergeFields(emptyFields, provider, { ...body, active }, servers)
      const now = clock.now()
      const wait: Wait = isAdmin ? waitsNoMore : { waits_since: new Date(now), waits_for: 'key' }
      const given = { id: makeId(now), client_id, client_secret, provider, ...fields, ...wait }
      return database.transaction(async (tx) => {
        const added = await addCredential(tx, organizationId, given, { keyring, baseUrl, onChange, record })
        if (!added) throw clientIdTaken()
        return added
      })
    },
  })

const confirmedByAdminKeys = () =>
  forbidden('admin_required', 'active: must be absent or false, unless the key is an admin key')
const trustedByAdminKeys = () =>
  forbidden('admin_required', 'trust_email_domains: must be absent or empty, unless the key is an admin key')
