import type { CreatedApiKey } from '@signet/management'
import { useState } from 'react'
import { ConfirmDialog } from '../calls/confirm-dialog.tsx'
import { Button } from '../design/button.tsx'
import { Panel } from '../design/page.tsx'
import { NewKey } from './new-key.tsx'

/** For an organization that has lost its keys. */
export function KeyForLockedOut({ organizationId }: { organizationId: string }) {
  const [isAsked, setAsked] = useState(false)
  const [key, setKey] = useState<CreatedApiKey>()
  const done = ({ result }: { result: CreatedApiKey }) => {
    setKey(result)
    setAsked(false)
  }
  return (
    <Panel
      title="New admin key"
      description="For an organization that has lost its keys. Those it has stay valid; its audit log shows this."
      actions={
        <Button icon="keys" onClick={() => setAsked(true)}>
          Make a key
        </Button>
      }
    >
      {key && <NewKey organizationId={organizationId} apiKey={key.api_key} />}
      <ConfirmDialog
        isOpen={isAsked}
        title="Make an admin key?"
        action="Make the key"
        tone="primary"
        call={(client) => client.createOrganizationApiKey({ path: { id: organizationId }, body: {} })}
        onDone={done}
        onClose={() => setAsked(false)}
      >
        <p>Whoever has it can do everything in this organization.</p>
      </ConfirmDialog>
    </Panel>
  )
}
