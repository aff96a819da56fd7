import { useQuery } from '@tanstack/react-query'
import { Copyable } from '../design/copy.tsx'
import { Page, Panel } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Loaded } from '../design/state.tsx'
import { serviceUrl } from '../service/address.ts'
import { useSession } from '../session/session.ts'
import { KeyTimeline } from './key-timeline.tsx'
import { KeysTabs } from './keys-tabs.tsx'
import { RotateKeys } from './rotate-keys.tsx'
import { verificationKeysQuery } from './verification-keys-query.ts'

export function Component() {
  const { organization_id } = useSession()
  const query = useQuery(verificationKeysQuery)
  const keySet = `${serviceUrl}/organizations/${organization_id}/webhooks/verification-jwks`
  return (
    <Page
      title="Keys"
      lead="Webhooks are signed with a key of this organization. Receivers check the signature by the published key set."
    >
      <KeysTabs />
      <Panel
        title="Which key signs when"
        description="The next key is published before it signs, so that receivers know it in time."
      >
        <Loaded query={query}>{({ result }) => <KeyTimeline keys={result} />}</Loaded>
      </Panel>
      <Panel title="For receivers">
        <Properties
          items={[
            ['Key set', <Copyable key="set" text={keySet} of="address of the key set" />],
            ['Issuer', <Copyable key="issuer" text={serviceUrl} of="issuer" />],
            ['Audience', <Copyable key="audience" text={organization_id ?? ''} of="audience" />],
          ]}
        />
      </Panel>
      <RotateKeys />
    </Page>
  )
}
