import { LinesField, SelectField, TextField } from '../design/field.tsx'
import styles from './option-fields.module.css'
import type { Options } from './options.ts'
import { type Provider, providerInWords, providers } from './providers.ts'

type OptionFieldsProps = { provider: Provider; options: Options; onChange: (options: Options) => void }

/** The options of one provider. */
export function OptionFields({ provider, options, onChange }: OptionFieldsProps) {
  const { serverOption } = providers[provider]
  return (
    <>
      {serverOption === 'tenant' && (
        <TenantFields
          name={`options.${provider}.tenant`}
          tenant={options.tenant}
          onChange={(tenant) => onChange({ ...options, tenant })}
        />
      )}
      {serverOption === 'organization_url' && (
        <TextField
          name={`options.${provider}.organization_url`}
          label="Organization URL"
          required
          mono
          type="url"
          value={options.organizationUrl}
          placeholder="https://example.okta.com"
          onChange={(organizationUrl) => onChange({ ...options, organizationUrl })}
          hint={`The address of your organization at ${providers[provider].name}: https:// and a host name. Not that of the admin console, which contains -admin.`}
        />
      )}
      {serverOption === 'issuer' && (
        <TextField
          name={`options.${provider}.issuer`}
          label="Issuer"
          required
          mono
          type="url"
          value={options.issuer}
          placeholder="https://id.example.com/realms/staff"
          onChange={(issuer) => onChange({ ...options, issuer })}
          hint="Exactly as the provider's discovery document names it, a closing slash included."
        />
      )}
      <ScopesField
        provider={provider}
        scopes={options.scopes}
        onChange={(scopes) => onChange({ ...options, scopes })}
      />
    </>
  )
}

const pseudoTenants = [
  ['common', 'Everybody: work, school and personal accounts (common)'],
  ['organizations', 'Work and school accounts of any tenant (organizations)'],
  ['consumer', 'Personal accounts only (consumer)'],
] as const

const isPseudo = (tenant: string) => pseudoTenants.some(([name]) => name === tenant)

type TenantFieldsProps = { name: string; tenant: string; onChange: (tenant: string) => void }

/** One of the pseudo tenants by its meaning, or a tenant by its name. */
function TenantFields({ name, tenant, onChange }: TenantFieldsProps) {
  const isOwn = !isPseudo(tenant)
  return (
    <>
      <SelectField
        name={isOwn ? 'accounts' : name}
        label="Who may sign in"
        value={isOwn ? '' : tenant}
        onChange={onChange}
        options={[...pseudoTenants, ['', 'The accounts of one tenant']]}
        hint="It must match the supported account types of the registration."
      />
      {isOwn && (
        <TextField
          name={name}
          label="Tenant"
          required
          mono
          value={tenant}
          onChange={onChange}
          placeholder="contoso.example"
          hint="The GUID of the tenant, or one of its domains."
        />
      )}
    </>
  )
}

type ScopesFieldProps = { provider: Provider; scopes: string[]; onChange: (scopes: string[]) => void }

function ScopesField({ provider, scopes, onChange }: ScopesFieldProps) {
  const { scopes: fixed } = providers[provider]
  return (
    <div className={styles.scopes}>
      <div>
        <p className={styles.heading}>Scopes that are always requested</p>
        <ul className={styles.chips} aria-label="Scopes that are always requested">
          {fixed.map((scope) => (
            <li key={scope}>{scope}</li>
          ))}
        </ul>
      </div>
      <LinesField
        name={`options.${provider}.authorize_scopes`}
        label="Further scopes"
        mono
        rows={2}
        lines={scopes}
        onChange={onChange}
        hint={`One a line. They must be known at ${providerInWords(provider)}, and allowed to the client. Signing in needs none.`}
      />
    </div>
  )
}
