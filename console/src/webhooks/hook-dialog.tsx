import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { Dialog } from '../design/dialog.tsx'
import { SelectField } from '../design/field.tsx'
import { notify } from '../design/toasts.tsx'
import type { Call } from '../service/signet.ts'
import { tokenMinted } from './trigger-kinds.ts'

type HookDialogProps = { webhookId: string; isOpen: boolean; onClose: () => void }

/** A hook takes part in every sign-in from then on: what its failure means is chosen first. */
export function HookDialog({ webhookId, isOpen, onClose }: HookDialogProps) {
  const [onFailure, setOnFailure] = useState<'fail' | 'continue'>('fail')
  const call: Call = useCallback(
    (signet) =>
      signet.createTrigger({
        path: { webhook_id: webhookId },
        body: { trigger_type: 'sync_hook', trigger_name: tokenMinted, on_failure: onFailure },
      }),
    [webhookId, onFailure],
  )
  function onSaved() {
    onClose()
    notify('The hook takes part in every sign-in from now on.')
  }
  return (
    <Dialog isOpen={isOpen} title="Call the synchronous hook token_minted" onClose={onClose}>
      <p>
        From now on every sign-in waits for the answer of this webhook: up to three attempts of two seconds each, or of
        its timeout. Have the receiver ready first.
      </p>
      <Form fields={['on_failure']} call={call} onSaved={onSaved} submit="Add trigger" onCancel={onClose}>
        <SelectField
          name="on_failure"
          label="If the hook fails"
          value={onFailure}
          options={[
            ['fail', 'the sign-in fails'],
            ['continue', 'the sign-in goes on without its claims'],
          ]}
          hint="A receiver that refuses a person, by deny in its answer, ends the sign-in either way. Any status other than 200 to 299 is a failed call and no refusal."
          onChange={(chosen) => setOnFailure(chosen === 'continue' ? 'continue' : 'fail')}
        />
      </Form>
    </Dialog>
  )
}
