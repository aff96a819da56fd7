import type { Transaction } from '../../ground/database/database.ts'
import type { Change } from '../../ground/http/chain/recorded-change.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { toRecord } from './credential-record.ts'
import { insertCredential, type NewCredential } from './credential-store.ts'
import type { OnChange } from './credentials.ts'
import { encryptSecret } from './encrypted-secret.ts'

/** With its secret in clear. */
type Given = Omit<NewCredential, 'client_secret'> & { client_secret: string }
type Adding = {
  keyring: Keyring
  baseUrl: string
  onChange: OnChange
  record: (tx: Transaction, organizationId: string, change: Change) => Promise<void>
}

/** Gives the record; undefined: the organization has a credential of this client id already. */
export async function addCredential(
  tx: Transaction,
  organizationId: string,
  given: Given,
  { keyring, baseUrl, onChange, record }: Adding,
) {
  const { client_id, client_secret } = given
  const credential = { ...given, client_secret: encryptSecret(keyring, organizationId, client_secret) }
  if (!(await insertCredential(tx, organizationId, credential))) return undefined
  const shown = toRecord(credential, baseUrl)
  const after = { ...shown, client_secret }
  await record(tx, organizationId, { target: { type: 'oidc_credential', id: client_id }, after })
  tx.afterCommit(() => onChange(organizationId, credential.id))
  return shown
}
