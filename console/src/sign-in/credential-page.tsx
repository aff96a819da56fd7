import type { Credential } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { ChangesLink } from '../calls/changes-link.tsx'
import { Copyable } from '../design/copy.tsx'
import { Columns, Page, Panel, Row, Stack } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Loaded } from '../design/state.tsx'
import { ShortText, Text } from '../design/text.tsx'
import { CallbackUrl } from '../providers/callback-url.tsx'
import { ProviderMark, ProviderName } from '../providers/provider-mark.tsx'
import { ProviderSteps } from '../providers/provider-steps.tsx'
import { providerInWords, providers } from '../providers/providers.ts'
import { useParams } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { Activation, InactiveNotice } from './activation.tsx'
import { CredentialForm } from './credential-form.tsx'
import { CredentialState } from './credential-state.tsx'
import { DeleteCredential } from './delete-credential.tsx'
import styles from './heading.module.css'
import { TestSignIn } from './test-sign-in.tsx'

const parent = { to: '/sign-in', name: 'Credentials' }

export function Component() {
  const { clientId = '' } = useParams()
  const credential = useQuery({
    queryKey: ['getOidcCredential', clientId],
    queryFn: ({ signal }) => signet.getOidcCredential({ path: { oauth_client_id: clientId }, signal }),
    select: ({ result }) => result,
  })
  if (credential.data) return <CredentialPage key={clientId} credential={credential.data} />
  return (
    <Page title="Credential" parent={parent}>
      <Panel>
        <Loaded query={credential}>{() => null}</Loaded>
      </Panel>
    </Page>
  )
}

function CredentialPage({ credential }: { credential: Credential }) {
  const { provider, label, callback_url, active } = credential
  const { name } = providers[provider]
  const heading = (
    <span className={styles.heading}>
      <ProviderMark provider={provider} size={30} />
      <ShortText>{label || name}</ShortText>
      <CredentialState isActive={active} />
    </span>
  )
  return (
    <Page
      title={label || name}
      heading={heading}
      parent={parent}
      actions={<ChangesLink target={credential.client_id} />}
    >
      {!active && <InactiveNotice credential={credential} />}
      <Columns>
        <Panel
          title="Callback URL"
          description={`The redirect URI to register at ${providerInWords(provider)}, exactly as it stands here.`}
        >
          <Stack>
            <div id="callback_url" tabIndex={-1}>
              <CallbackUrl url={callback_url} />
            </div>
            <details>
              <summary>How to register a client at {providerInWords(provider)}</summary>
              <div className={styles.folded}>
                <ProviderSteps provider={provider} />
              </div>
            </details>
          </Stack>
        </Panel>
        <Panel title="Credential">
          <About credential={credential} />
        </Panel>
      </Columns>
      <TestSignIn credential={credential} />
      <Panel title="Settings" description="A change takes effect for the next sign-in.">
        <CredentialForm credential={credential} />
      </Panel>
      <Panel title={active ? 'Deactivate or delete' : 'Delete'}>
        <Row>
          {active && <Activation credential={credential} to={false} />}
          <DeleteCredential credential={credential} />
        </Row>
      </Panel>
    </Page>
  )
}

const About = ({ credential: { provider, client_id, external_cred_id } }: { credential: Credential }) => (
  <Properties
    items={[
      ['Provider', <ProviderName key="provider" provider={provider} />],
      ['Client ID', <Copyable key="client" text={client_id} of="client ID" />],
      ['External ID', external_cred_id ? <Text key="external">{external_cred_id}</Text> : undefined],
      [
        'Direct sign-in',
        <span key="idp">
          An application that adds <code>idp=</code> and this client ID to its authorize request leads persons here
          without the page of choices.
        </span>,
      ],
    ]}
  />
)
