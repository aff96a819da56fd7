import type { Delivery } from '@signet/management'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button, type ButtonProps } from '../design/button.tsx'
import { Code, Json } from '../design/code.tsx'
import { Dialog } from '../design/dialog.tsx'
import { messagesOf } from '../design/problems.ts'
import { Notice } from '../design/state.tsx'
import { Time } from '../design/time.tsx'
import { verificationKeysQuery } from '../keys/verification-keys-query.ts'
import { serviceUrl } from '../service/address.ts'
import { signet } from '../service/signet.ts'
import { useIsAdmin, useMay, useSession } from '../session/session.ts'
import { decodeJwt } from './decode-jwt.ts'
import styles from './sign-now.module.css'
import { TimeLeft } from './time-left.tsx'
import { Verdict } from './verdict.tsx'
import { verifyCommand } from './verify-command.ts'

type SignNowProps = Pick<ButtonProps, 'size'> & { delivery: Pick<Delivery, 'webhook_id' | 'id' | 'trigger_type'> }

/** Signs the JWT of a delivery as its next attempt would be signed, for whoever tries a receiver by hand. Nothing is sent. */
export function SignNow({ delivery: { webhook_id, id, trigger_type }, size }: SignNowProps) {
  const refusal = whyNot(useIsAdmin(), trigger_type)
  const run = useMutation({
    mutationFn: async () => (await signet.signDelivery({ path: { webhook_id, delivery_id: id } })).result.token,
    // Once the token is closed nothing of the page has it.
    gcTime: 0,
  })
  return (
    <span className={styles.sign}>
      <Button
        icon="keys"
        size={size}
        busy={run.isPending}
        disabled={refusal !== undefined}
        title={refusal}
        onClick={() => run.mutate()}
      >
        Sign one now
      </Button>
      <span role="status" className={styles.refused}>
        {run.isError && `It was not signed: ${messagesOf(run.error).join('; ')}`}
      </span>
      {run.data !== undefined && <SignedJwt token={run.data} onClose={run.reset} />}
    </span>
  )
}

function whyNot(isAdmin: boolean, triggerType: Delivery['trigger_type']): string | undefined {
  if (!isAdmin) return 'Only admin keys and owners sign a JWT: a receiver accepts it.'
  return triggerType === 'event' ? undefined : 'Of a run of a hook no content is kept that could be signed.'
}

/** The only time that the token is seen. */
function SignedJwt({ token, onClose }: { token: string; onClose: () => void }) {
  const { organization_id } = useSession()
  const keys = useQuery({ ...verificationKeysQuery, enabled: useMay('webhooks:read') })
  const { header, claims } = decodeJwt(token)
  const actions = (
    <Button tone="primary" onClick={onClose}>
      Close
    </Button>
  )
  return (
    <Dialog isOpen isModal isWide title="The signed JWT" actions={actions} onClose={onClose}>
      <Notice tone="warn" title="It is a real token, and shown this once.">
        It was sent to nobody. A receiver accepts it from whoever has it, until{' '}
        <Time at={new Date(claims.exp * 1_000).toISOString()} /> <TimeLeft untilMs={claims.exp * 1_000} /> The audit log
        keeps that you asked for it.
      </Notice>
      <Verdict label="Verdict on the JWT" jwt={{ kid: header.kid, claims }} keys={keys.data?.result} />
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
