import type { Delivery } from '@signet/management'
import { useState } from 'react'
import { AskingButton } from '../calls/asking-button.tsx'
import { Button } from '../design/button.tsx'
import { Code, Json } from '../design/code.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Notice } from '../design/state.tsx'
import { Time } from '../design/time.tsx'
import { serviceUrl } from '../service/address.ts'
import { useIsAdmin, useSession } from '../session/session.ts'
import { decodeJwt } from './decode-jwt.ts'
import { TimeLeft } from './time-left.tsx'
import { verifyCommand } from './verify-command.ts'

/** Signs the JWT of a delivery as its next attempt would be signed, for whoever tries a receiver by hand. */
export function SignNow({ delivery: { webhook_id, id, trigger_type } }: { delivery: Delivery }) {
  const isAdmin = useIsAdmin()
  const [token, setToken] = useState<string>()
  return (
    <>
      <AskingButton
        label="Sign one now"
        button={{ icon: 'keys' }}
        refusal={whyNot(isAdmin, trigger_type)}
        title="Sign a JWT now?"
        action="Sign JWT"
        tone="primary"
        call={(client) => client.signDelivery({ path: { webhook_id, delivery_id: id } })}
        onDone={({ result }) => setToken(result.token)}
      >
        <p>
          It is signed with the key that signs now, as the next attempt would be, and shown to you alone. Nothing is
          sent.
        </p>
        <p>
          It is a real token: a receiver accepts it for five minutes, from whoever has it. The audit log keeps that you
          asked for it.
        </p>
      </AskingButton>
      {token !== undefined && <SignedJwt token={token} onClose={() => setToken(undefined)} />}
    </>
  )
}

function whyNot(isAdmin: boolean, triggerType: Delivery['trigger_type']): string | undefined {
  if (!isAdmin) return 'Only admin keys and owners sign a JWT: a receiver accepts it.'
  return triggerType === 'event' ? undefined : 'Of a run of a hook no content is kept that could be signed.'
}

/** The only time that the token is seen. */
function SignedJwt({ token, onClose }: { token: string; onClose: () => void }) {
  const { organization_id } = useSession()
  const { header, claims } = decodeJwt(token)
  const actions = (
    <Button tone="primary" onClick={onClose}>
      Close
    </Button>
  )
  return (
    <Dialog isOpen isModal isWide title="The signed JWT" actions={actions} onClose={onClose}>
      <Notice tone="warn" title="It is a real token, and shown this once.">
        A receiver accepts it from whoever has it, until <Time at={new Date(claims.exp * 1_000).toISOString()} />{' '}
        <TimeLeft untilMs={claims.exp * 1_000} />
      </Notice>
      <Code label="JWT" text={token} wrap />
      <Code
        label="Verify it as a receiver does"
        text={verifyCommand(token, { serviceUrl, organizationId: organization_id ?? '', targetUrl: claims.target_url })}
        wrap
      />
      <Json label="Header" value={header} />
      <Json label="Claims" value={claims} />
    </Dialog>
  )
}
