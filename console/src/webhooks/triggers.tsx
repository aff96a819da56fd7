import type { Trigger } from '@signet/management'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../calls/confirm-dialog.tsx'
import { Json } from '../design/code.tsx'
import { SwitchField } from '../design/field.tsx'
import { Panel, Stack } from '../design/page.tsx'
import { Failure, Loaded, Notice } from '../design/state.tsx'
import { notify } from '../design/toasts.tsx'
import { queries } from '../service/queries.ts'
import { signet } from '../service/signet.ts'
import { lacks, useMay } from '../session/session.ts'
import { HookDialog } from './hook-dialog.tsx'
import { eventKinds, hookKind, type TriggerKind, tokenMinted } from './trigger-kinds.ts'
import styles from './triggers.module.css'
import { useWebhook } from './webhook-page.tsx'
import { triggersQuery } from './webhook-queries.ts'

/** What the webhook is called for: every trigger that there is, on or off. */
export function Component() {
  const { id } = useWebhook()
  const query = useQuery(triggersQuery(id))
  const mayWrite = useMay('webhooks:write')
  const mayRead = useMay('events:read')
  const mayDecide = useMay('hooks:write')
  return (
    <Stack>
      {!(mayWrite && mayRead) && (
        <Notice tone="warn">
          Triggers are changed with the scopes webhooks:write and, because the content of events goes to the webhook,
          events:read. You lack{' '}
          {[!mayWrite && 'webhooks:write', !mayRead && 'events:read'].filter(Boolean).join(' and ')}.
        </Notice>
      )}
      <Loaded query={query}>
        {(triggers) => (
          <>
            <Panel
              title="Events"
              description="Called after something happened: every event from now on, and none from before."
            >
              {eventKinds.map((kind) => (
                <EventTrigger key={kind.name} webhookId={id} kind={kind} trigger={named(triggers, kind.name)} />
              ))}
            </Panel>
            <Panel title="Synchronous hook" description="Called while something happens, which waits for the answer.">
              {!mayDecide && (
                <Notice tone="warn">{lacks('hooks:write')} It decides what tokens say of everybody.</Notice>
              )}
              <HookTrigger webhookId={id} trigger={named(triggers, tokenMinted)} />
            </Panel>
          </>
        )}
      </Loaded>
    </Stack>
  )
}

const named = (triggers: readonly Trigger[], name: string) => triggers.find(({ trigger_name }) => trigger_name === name)

type TriggerProps = { webhookId: string; trigger: Trigger | undefined }

function EventTrigger({ webhookId, trigger, kind }: TriggerProps & { kind: TriggerKind }) {
  const [isDeleting, setDeleting] = useState(false)
  const create = useMutation({
    mutationFn: () =>
      signet.createTrigger({
        path: { webhook_id: webhookId },
        body: { trigger_type: 'event', trigger_name: kind.name },
      }),
    // Its switch would go back for as long as the list is the one from before.
    onSuccess: async () => {
      await queries.invalidateQueries(triggersQuery(webhookId))
      notify(`The webhook is called for ${kind.name} from now on.`)
    },
  })
  return (
    <Kind
      kind={kind}
      trigger={trigger}
      isBusy={create.isPending}
      onChange={(isOn) => (isOn ? create.mutate() : setDeleting(true))}
    >
      {create.isError && <Failure error={create.error} />}
      <DeleteTrigger webhookId={webhookId} kind={kind} isOpen={isDeleting} onClose={() => setDeleting(false)}>
        <p>
          The webhook is not called for {kind.name} any more. Deliveries of it that still wait are cancelled, also if
          you add the trigger again; requests that are under way may end.
        </p>
      </DeleteTrigger>
    </Kind>
  )
}

function HookTrigger({ webhookId, trigger }: TriggerProps) {
  const [asked, setAsked] = useState<'create' | 'delete'>()
  const close = () => setAsked(undefined)
  return (
    <Kind
      kind={hookKind}
      trigger={trigger}
      disabled={!useMay('hooks:write')}
      onChange={(isOn) => setAsked(isOn ? 'create' : 'delete')}
    >
      {trigger && (
        <p className={styles.sentence}>
          {trigger.on_failure === 'continue'
            ? 'Where the hook fails, the sign-in goes on without its claims.'
            : 'Where the hook fails, the sign-in fails.'}{' '}
          To change that, switch the hook off and on again.
        </p>
      )}
      <HookDialog webhookId={webhookId} isOpen={asked === 'create'} onClose={close} />
      <DeleteTrigger webhookId={webhookId} kind={hookKind} isOpen={asked === 'delete'} onClose={close}>
        <p>
          From now on persons sign in without this hook: their tokens lack the claims that it added, and it refuses
          nobody. Sign-ins that are under way continue without it.
        </p>
      </DeleteTrigger>
    </Kind>
  )
}

type KindProps = {
  kind: TriggerKind
  trigger: Trigger | undefined
  isBusy?: boolean
  disabled?: boolean
  onChange: (isOn: boolean) => void
  children: React.ReactNode
}

function Kind({ kind, trigger, isBusy = false, disabled = false, onChange, children }: KindProps) {
  const mayChange = [useMay('webhooks:write'), useMay('events:read')].every(Boolean)
  return (
    <div className={styles.kind}>
      <SwitchField
        name={kind.name}
        label={kind.name}
        hint={kind.sentence}
        onChange={onChange}
        checked={trigger !== undefined || isBusy}
        disabled={!mayChange || isBusy || disabled}
      />
      <div className={styles.more}>
        {children}
        <details>
          <summary aria-label={`Example content of ${kind.name}`}>Example content</summary>
          <Json value={kind.example} label="trigger_content" />
        </details>
      </div>
    </div>
  )
}

type DeleteTriggerProps = {
  webhookId: string
  kind: TriggerKind
  isOpen: boolean
  onClose: () => void
  children: React.ReactNode
}

function DeleteTrigger({ webhookId, kind, isOpen, onClose, children }: DeleteTriggerProps) {
  const query = { trigger_type: kind.name === tokenMinted ? 'sync_hook' : 'event', trigger_name: kind.name } as const
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete the trigger ${kind.name}?`}
      action="Delete trigger"
      done={`The trigger ${kind.name} is deleted.`}
      call={(client) => client.deleteTrigger({ path: { webhook_id: webhookId }, query })}
    >
      {children}
    </ConfirmDialog>
  )
}
