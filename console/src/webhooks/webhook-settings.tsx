import type { Webhook } from '@signet/management'
import { useCallback, useMemo, useState } from 'react'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { Lacking } from '../calls/lacking.tsx'
import { changedMembers, isEmpty } from '../design/differences.ts'
import { SwitchField } from '../design/field.tsx'
import { Panel, Stack } from '../design/page.tsx'
import type { Call } from '../service/signet.ts'
import { useIsAdmin, useMay } from '../session/session.ts'
import { DeleteWebhook } from './delete-webhook.tsx'
import { LackingHooks } from './hook-scope.tsx'
import { PauseWebhook } from './pause-webhook.tsx'
import { timeoutInWords } from './timeout-words.ts'
import { bodyOf, draftOf, fieldNames, WebhookFields } from './webhook-fields.tsx'
import { useWebhook } from './webhook-page.tsx'

/** What of a webhook can be changed, and its end. */
export function Component() {
  const webhook = useWebhook()
  const mayWrite = useMay('webhooks:write')
  return (
    <Stack>
      <Lacking scope="webhooks:write" />
      <LackingHooks webhook={webhook} />
      <Panel title="Settings" description="Deliveries that wait go to the new target with the new headers.">
        <OpenedRecord record={webhook}>
          {(opened, onSaved) => <WebhookForm opened={opened} mayWrite={mayWrite} onSaved={onSaved} />}
        </OpenedRecord>
      </Panel>
      <PauseWebhook webhook={webhook} />
      <DeleteWebhook webhook={webhook} />
    </Stack>
  )
}

type WebhookFormProps = { opened: Webhook; mayWrite: boolean; onSaved: (webhook: Webhook) => void }

function WebhookForm({ opened, mayWrite, onSaved }: WebhookFormProps) {
  const [draft, setDraft] = useState(() => draftOf(opened))
  const changes = useMemo(() => changedMembers<Body>(bodyOf(draftOf(opened)), bodyOf(draft)), [opened, draft])
  const path = useMemo(() => ({ webhook_id: opened.id }), [opened])
  const call: Call<{ result: Webhook }> = useCallback(
    (signet) => signet.changeWebhook({ path, body: changes }),
    [path, changes],
  )
  return (
    <Form
      fields={fieldNames}
      call={call}
      submit="Save"
      saved="The webhook is saved."
      onSaved={({ result }) => onSaved(result)}
      disabled={!mayWrite || isEmpty(changes)}
      secrets={draft.headers?.map(({ name }) => name.trim())}
      opened={{
        record: editedOf(opened),
        read: async (signet) => editedOf((await signet.getWebhook({ path })).result),
        secrets: ['custom_headers'],
      }}
    >
      <WebhookFields draft={draft} disabled={!mayWrite} onChange={setDraft} />
      {mayWrite && (
        <ReplaceHeaders
          isReplacing={draft.headers !== undefined}
          onChange={(isOn) => setDraft({ ...draft, headers: isOn ? [] : undefined })}
        />
      )}
    </Form>
  )
}

/** Whoever may not read the headers may replace them: a new target needs it, for they would go there too. */
function ReplaceHeaders({ isReplacing, onChange }: { isReplacing: boolean; onChange: (isOn: boolean) => void }) {
  if (useIsAdmin()) return null
  return (
    <SwitchField
      name="replace_headers"
      label="Replace all custom headers"
      checked={isReplacing}
      onChange={onChange}
      hint="The headers that are there are shown to admin keys only. A new target needs them replaced, because they would be sent to it."
    />
  )
}

/** What the form is about: a pause meanwhile is no clash. */
const editedOf = (webhook: Webhook) => ({ ...bodyOf(draftOf(webhook)), timeout: timeoutInWords(webhook.timeout) })

type Body = ReturnType<typeof bodyOf>
