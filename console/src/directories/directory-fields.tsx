import type { Directory } from '@signet/management'
import { filledLines, LinesField, SelectField, SwitchField, TextField } from '../design/field.tsx'
import { providerName } from '../providers/providers.ts'
import { useIsAdmin, useMay } from '../session/session.ts'
import { isOfCustomer, useCredentials } from './use-credentials.ts'

export type Draft = Required<Omit<Directory, 'id' | 'scim_url' | 'created_at' | 'last_request_at'>>

export const newDraft: Draft = {
  name: '',
  oauth_client_id: '',
  match: 'external_id',
  adopt: false,
  email_domains: [],
  on_delete: 'delete',
  group_prefix: '',
  enabled: true,
}

export const fieldNames = Object.keys(newDraft)

export const draftOf = ({ oauth_client_id = '', ...directory }: Directory): Draft => ({
  name: directory.name,
  oauth_client_id,
  match: directory.match,
  adopt: directory.adopt,
  email_domains: directory.email_domains,
  on_delete: directory.on_delete,
  group_prefix: directory.group_prefix,
  enabled: directory.enabled,
})

/** As the interface takes it. */
export const bodyOf = ({ oauth_client_id, ...draft }: Draft) => ({
  ...draft,
  name: draft.name.trim(),
  oauth_client_id: oauth_client_id || null,
  email_domains: filledLines(draft.email_domains),
  group_prefix: draft.group_prefix.trim(),
})

const matches = [
  ['external_id', 'The account that has its external ID'],
  ['none', 'Nobody by it: each user is somebody new'],
] as const

const deletions = [
  ['delete', 'The person is deleted'],
  ['deactivate', 'The person stays, and cannot sign in'],
] as const

type FieldsProps = { draft: Draft; onChange: (changed: Partial<Draft>) => void }

export function DirectoryFields({ draft, onChange }: FieldsProps) {
  const mayWrite = useMay('directories:write')
  return (
    <>
      <TextField
        name="name"
        label="Name"
        required
        maxLength={200}
        disabled={!mayWrite}
        value={draft.name}
        onChange={(name) => onChange({ name })}
        placeholder="Contoso staff"
        hint="The customer sees it behind a link. The audit log shows it beside each change that the directory makes."
      />
      <TrustFields draft={draft} onChange={onChange} />
      <SelectField
        name="on_delete"
        label="When a user is deleted there"
        disabled={!mayWrite}
        value={draft.on_delete}
        onChange={(on_delete) => onChange({ on_delete: on_delete as Draft['on_delete'] })}
        options={deletions}
        hint="Somebody who was there before the directory is never deleted by it. Okta deletes nobody; Entra does so 30 days after it has switched somebody off."
      />
      <TextField
        name="group_prefix"
        label="Prefix of its groups"
        mono
        maxLength={40}
        disabled={!mayWrite}
        value={draft.group_prefix}
        onChange={(group_prefix) => onChange({ group_prefix })}
        placeholder="contoso-"
        hint="In front of the names of groups that it makes from now on, so that the groups of several customers are told apart."
      />
    </>
  )
}

/** What decides who somebody is. */
function TrustFields({ draft, onChange }: FieldsProps) {
  const disabled = !useIsAdmin()
  return (
    <>
      <CredentialField
        clientId={draft.oauth_client_id}
        disabled={disabled}
        onChange={(oauth_client_id) => onChange({ oauth_client_id })}
      />
      <SelectField
        name="match"
        label="Who a user is"
        disabled={disabled || !draft.oauth_client_id}
        value={draft.match}
        onChange={(match) => onChange({ match: match as Draft['match'] })}
        options={matches}
        hint="With that credential, a first sign-in is the person whom the directory has made, and a user who signed in before is the same person. Okta sends the right ID by itself. In Entra, externalId must come from objectId: by default it comes from mailNickname, which fits nobody."
      />
      <LinesField
        name="email_domains"
        label="E-mail domains"
        mono
        rows={2}
        disabled={disabled}
        lines={draft.email_domains}
        onChange={(email_domains) => onChange({ email_domains })}
        placeholder="contoso.com"
        hint="One a line. In these the directory vouches for addresses, and keeps them from others: enter only what belongs to the customer. An address elsewhere becomes a handle for which nobody vouches, where it is free."
      />
      <SwitchField
        name="adopt"
        label="Adopt persons who are there already"
        disabled={disabled}
        checked={draft.adopt}
        onChange={(adopt) => onChange({ adopt })}
        hint={`A user with an address in these domains, for which an admin key has vouched, becomes the person who has it: from then on the directory can change and switch off that person. Each adoption is in the audit log, and at Home.${disabled ? ' Only admin keys and owners set this and the three above.' : ''}`}
      />
    </>
  )
}

type CredentialFieldProps = { clientId: string; disabled: boolean; onChange: (clientId: string) => void }

function CredentialField({ clientId, disabled, onChange }: CredentialFieldProps) {
  const credentials = useCredentials().filter((each) => isOfCustomer(each) || each.client_id === clientId)
  const isListed = credentials.some(({ client_id }) => client_id === clientId)
  const options = credentials.map(
    ({ client_id, label, provider }) => [client_id, `${label || client_id} (${providerName(provider)})`] as const,
  )
  return (
    <SelectField
      name="oauth_client_id"
      label="Its people sign in with"
      disabled={disabled}
      value={clientId}
      onChange={onChange}
      options={[['', 'No credential'], ...(clientId && !isListed ? [[clientId, clientId] as const] : []), ...options]}
      hint="The credential of the same Okta, the same Entra tenant, or the same provider of the customer. Google, GitHub and others, at which anybody may have an account, are not offered."
    />
  )
}
