import { useCallback, useState } from 'react'
import { useNavigate } from 'react-router'
import { Form } from '../design/form.tsx'
import { Lacking } from '../design/lacking.tsx'
import { Page, Panel } from '../design/page.tsx'
import { notify } from '../design/toasts.tsx'
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
  function onSaved({ result }: { result: { id: string } }) {
    notify('The webhook is created. Choose its triggers.')
    return navigate(`/webhooks/${result.id}/triggers`)
  }
  return (
    <Page
      title="Create webhook"
      parent={{ to: '/webhooks', name: 'Webhooks' }}
      lead="A webhook is an address that Signet calls when something happens. It is called for its triggers, which you choose next."
    >
      <Lacking scope="webhooks:write" />
      <Panel>
        <Form
          fields={fieldNames}
          call={call}
          onSaved={onSaved}
          submit="Create webhook"
          disabled={!mayWrite}
          secrets={draft.headers?.map(({ name }) => name.trim())}
          onCancel={() => navigate('/webhooks')}
        >
          <WebhookFields draft={draft} onChange={setDraft} disabled={!mayWrite} />
        </Form>
      </Panel>
    </Page>
  )
}
