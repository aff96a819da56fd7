import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { ConfirmDialog } from '../design/dialog.tsx'
import { Panel, Row } from '../design/page.tsx'
import { notify } from '../design/toasts.tsx'
import { useIsAdmin } from '../session/session.ts'

/** Both ways to have another key sign, with what follows from each. */
export function RotateKeys() {
  const isAdmin = useIsAdmin()
  const [asked, setAsked] = useState<'rotation' | 'emergency'>()
  return (
    <Panel
      title="Rotate"
      description={
        isAdmin
          ? 'Keys are replaced by themselves every 90 days, unless the operator set another time.'
          : 'Only an admin key rotates keys.'
      }
    >
      <Row>
        <Button icon="refresh" disabled={!isAdmin} onClick={() => setAsked('rotation')}>
          Rotate now
        </Button>
        <Button tone="danger" icon="alert" disabled={!isAdmin} onClick={() => setAsked('emergency')}>
          Emergency rotation
        </Button>
      </Row>
      <RotationDialog isOpen={asked === 'rotation'} onClose={() => setAsked(undefined)} />
      <EmergencyDialog isOpen={asked === 'emergency'} onClose={() => setAsked(undefined)} />
    </Panel>
  )
}

type AskedProps = { isOpen: boolean; onClose: () => void }

const rotated = (onClose: () => void) => () => {
  onClose()
  notify('Another key signs now.')
}

function RotationDialog({ isOpen, onClose }: AskedProps) {
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onDone={rotated(onClose)}
      title="Rotate the verification keys?"
      action="Rotate"
      tone="primary"
      call={(client) => client.rotateVerificationKeys({ body: {} })}
    >
      <p>
        The next key signs from now on, and a new one is published after it. The present key stays in the set for an
        hour.
      </p>
      <p>Receivers that fetch the key set as they should notice nothing.</p>
    </ConfirmDialog>
  )
}

function EmergencyDialog({ isOpen, onClose }: AskedProps) {
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onDone={rotated(onClose)}
      typed="emergency"
      title="Withdraw the present key at once?"
      action="Withdraw the key"
      call={(client) => client.rotateVerificationKeys({ body: { emergency: true } })}
    >
      <p>For a private key that may have leaked. The present key leaves the set at once, and the next one signs.</p>
      <p>
        After the answer, which takes five seconds, nothing is sent that the old key signed. Deliveries under way are
        signed anew.
      </p>
      <p>Receivers that cache the set go on believing the old key for up to five minutes.</p>
      <p>
        Whoever had both the database and the master key has the next key as well: change the master key, and do this
        twice.
      </p>
    </ConfirmDialog>
  )
}
