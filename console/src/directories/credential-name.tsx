import { ShortText, Soft } from '../design/text.tsx'
import { ProviderName } from '../providers/provider-mark.tsx'
import { useCredentials } from './use-credentials.ts'

/** The credential with which the users of a directory sign in. */
export function CredentialName({ clientId }: { clientId: string | undefined }) {
  const credential = useCredentials().find(({ client_id }) => client_id === clientId)
  if (clientId === undefined) return <Soft>none</Soft>
  if (!credential) return <ShortText>{clientId}</ShortText>
  return <ProviderName provider={credential.provider} label={credential.label} />
}
