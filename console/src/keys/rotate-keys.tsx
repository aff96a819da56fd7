import { AskingButton } from '../calls/asking-button.tsx'
import { Panel, Row } from '../design/page.tsx'
import { useIsAdmin } from '../session/session.ts'

/** Both ways to have another key sign, with what follows from each. */
export function RotateKeys() {
  const isAdmin = useIsAdmin()
  return (
    <Panel
      title="Rotate"
      description={
        isAdmin
          ? 'Keys are replaced by themselves every 90 days, unless the operator set another time.'
          : 'Only admin keys and owners rotate keys.'
      }
    >
      <Row>
        <Rotation isAdmin={isAdmin} />
        <Emergency isAdmin={isAdmin} />
      </Row>
    </Panel>
  )
}

const done = 'Another key signs now.'

function Rotation({ isAdmin }: { isAdmin: boolean }) {
  return (
    <AskingButton
      label="Rotate now"
      button={{ icon: 'refresh', disabled: !isAdmin }}
      done={done}
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
    </AskingButton>
  )
}

function Emergency({ isAdmin }: { isAdmin: boolean }) {
  return (
    <AskingButton
      label="Emergency rotation"
      button={{ tone: 'danger', icon: 'alert', disabled: !isAdmin }}
      done={done}
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
    </AskingButton>
  )
}
