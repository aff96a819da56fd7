import type { CountedDirectory } from '@signet/management'
import { Code } from '../design/code.tsx'
import { Copyable } from '../design/copy.tsx'
import { Columns, Panel, Stack } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Notice } from '../design/state.tsx'
import { Soft } from '../design/text.tsx'
import { Ago, Time } from '../design/time.tsx'
import { ConnectSteps } from './connect-steps.tsx'
import { CredentialName } from './credential-name.tsx'
import { useDirectory } from './directory-page.tsx'
import { Links } from './links.tsx'
import { Refusals } from './refusals.tsx'
import { Tokens } from './tokens.tsx'
import { useCredentials } from './use-credentials.ts'

/** Whether a directory works, and what it takes to connect it. */
export function Component() {
  const directory = useDirectory()
  const { oauth_client_id: clientId, scim_url } = directory
  const provider = useCredentials().find(({ client_id }) => client_id === clientId)?.provider
  return (
    <Stack>
      {!directory.enabled && (
        <Notice tone="warn" title="Its requests are refused.">
          The directory is switched off under Settings. Its persons and groups stay as they are meanwhile.
        </Notice>
      )}
      <Columns>
        <Panel title="Connect it" description="The SCIM address and a token go into the customer’s directory.">
          <Stack>
            <Code label="SCIM address" text={scim_url} wrap />
            <ConnectSteps scimUrl={scim_url} provider={provider} />
          </Stack>
        </Panel>
        <Panel title="Directory">
          <About directory={directory} />
        </Panel>
      </Columns>
      <Refusals directoryId={directory.id} />
      <Tokens directory={directory} />
      <Links directory={directory} />
    </Stack>
  )
}

const About = ({ directory }: { directory: CountedDirectory }) => (
  <Properties
    items={[
      [
        'Last request',
        directory.last_request_at ? <Ago key="last" at={directory.last_request_at} /> : <Soft key="last">never</Soft>,
      ],
      ['Users', directory.users_count.toLocaleString()],
      ['Groups', directory.groups_count.toLocaleString()],
      ['Sign-in with', <CredentialName key="credential" clientId={directory.oauth_client_id} />],
      ['Directory ID', <Copyable key="id" text={directory.id} of="directory ID" />],
      ['Created', <Time key="created" at={directory.created_at} />],
    ]}
  />
)
