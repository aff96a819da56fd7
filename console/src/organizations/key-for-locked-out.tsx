import type { CreatedApiKey } from '@signet/management'
import { useState } from 'react'
import { AskingButton } from '../calls/asking-button.tsx'
import { Panel } from '../design/page.tsx'
import { NewKey } from './new-key.tsx'

/** For an organization that has lost its keys. */
export function KeyForLockedOut({ organizationId }: { organizationId: string }) {
  const [key, setKey] = useState<CreatedApiKey>()
  return (
    <Panel
      title="New admin key"
      description="For an organization that has lost its keys. Those it has stay valid; its audit log shows this."
      actions={
        <AskingButton
          label="Make a key"
          button={{ icon: 'keys' }}
          title="Make an admin key?"
          action="Make the key"
          tone="primary"
          call={(client) =>
            client.createOrganizationApiKey({ path: { id: organizationId }, body: { name: 'Recovery' } })
          }
          onDone={({ result }) => setKey(result)}
        >
          <p>Whoever has it can do everything in this organization.</p>
        </AskingButton>
      }
    >
      {key && <NewKey organizationId={organizationId} apiKey={key.api_key} />}
    </Panel>
  )
}
