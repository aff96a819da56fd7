import { TextField } from '../design/field.tsx'
import { type Provider, providerInWords, providers } from './providers.ts'

type ClientFieldsProps = {
  provider: Provider
  clientId: string
  clientSecret: string
  onClientId: (value: string) => void
  onClientSecret: (value: string) => void
}

/** What the provider gave, by the names that the provider has for it. */
export function ClientFields({ provider, clientId, clientSecret, onClientId, onClientSecret }: ClientFieldsProps) {
  const calls = providers[provider]
  const name = providerInWords(provider)
  return (
    <>
      <TextField
        name="client_id"
        label="Client ID"
        required
        mono
        maxLength={500}
        value={clientId}
        onChange={onClientId}
        hint={hintFor(name, calls.clientId, 'Client ID')}
      />
      <TextField
        name="client_secret"
        label="Client secret"
        required
        mono
        maxLength={1_000}
        type="password"
        autoComplete="new-password"
        value={clientSecret}
        onChange={onClientSecret}
        hint={`${hintFor(name, calls.clientSecret, 'Client secret')} It is stored encrypted and never shown again.`}
      />
    </>
  )
}

const hintFor = (provider: string, itsName: string, ourName: string) =>
  itsName === ourName ? `As ${provider} shows it.` : `${provider} calls it “${itsName}”.`
