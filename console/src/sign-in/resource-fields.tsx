import type { NewResource } from '@signet/management'
import { filledLines, LinesField, TextField } from '../design/field.tsx'

export type ResourceSettings = { name: string; scopes: string[]; token_lifetime: string }

export const fieldNames = ['name', 'scopes', 'token_lifetime']

export const newSettings: ResourceSettings = { name: '', scopes: [], token_lifetime: '10m' }

/** As the interface takes them. */
export const toBody = ({ name, scopes, token_lifetime }: ResourceSettings) =>
  ({
    name: name.trim(),
    scopes: filledLines(scopes),
    token_lifetime: token_lifetime.trim(),
  }) satisfies Partial<NewResource>

type FieldsProps = { settings: ResourceSettings; onChange: (changed: Partial<ResourceSettings>) => void }

export const ResourceFields = ({ settings, onChange }: FieldsProps) => (
  <>
    <TextField
      name="name"
      label="Name"
      required
      maxLength={200}
      value={settings.name}
      onChange={(name) => onChange({ name })}
    />
    <LinesField
      name="scopes"
      label="Scopes"
      mono
      rows={3}
      lines={settings.scopes}
      onChange={(scopes) => onChange({ scopes })}
      placeholder="orders:read"
      hint="What applications may ask for, one a line. Those of a sign-in, such as openid, cannot be among them."
    />
    <TextField
      name="token_lifetime"
      label="Lifetime of access tokens"
      required
      mono
      value={settings.token_lifetime}
      onChange={(token_lifetime) => onChange({ token_lifetime })}
      hint="From 1s to 24h. An API that checks tokens by itself accepts one until then, whatever has ended meanwhile."
    />
  </>
)
