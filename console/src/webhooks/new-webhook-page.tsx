import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { Page, Panel } from '../design/page.tsx'
import { useNavigate } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { bodyOf, emptyDraft, fieldNames, WebhookFields } from './webhook-fields.tsx'

/** Makes a webhook; its triggers are chosen on its own page. */
export function Component() {
  const [draft, setDraft] = useState(emptyDraft)
  const mayWrite = useMay('webhooks:write')
  const navigate = useNavigate()
  const call: Call<{ result: { id: string } }> = useCallback(
    (signet) => signet.createWebhook({ body: bodyOf(draft) }),
    [draft],
  )
  return (
    <Page
      title="Create webhook"
      parent={{ to: '/webhooks', name: 'Webhooks' }}
      lead="A webhook is an address that Signet calls when something happens. It is called for its triggers, which you choose next."
    >
      <Panel>
        <Form
          fields={fieldNames}
          call={call}
          submit="Create webhook"
          scope="webhooks:write"
          saved="The webhook is created. Choose its triggers."
          onSaved={({ result }) => navigate(`/webhooks/${result.id}/triggers`)}
          secrets={draft.headers?.map(({ name }) => name.trim())}
          onCancel={() => navigate('/webhooks')}
        >
          <WebhookFields draft={draft} onChange={setDraft} disabled={!mayWrite} />
        </Form>
      </Panel>
    </Page>
  )
}
