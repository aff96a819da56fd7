import type { Directory } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { changedMembers } from '../design/differences.ts'
import { Page, Panel } from '../design/page.tsx'
import { useNavigate } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { directoryPath } from '../sign-in/paths.ts'
import { bodyOf, DirectoryFields, fieldNames, newDraft } from './directory-fields.tsx'

export function Component() {
  const [draft, setDraft] = useState(newDraft)
  const navigate = useNavigate()
  const call: Call<{ result: Directory }> = useCallback(
    (signet) => {
      const { name, ...others } = bodyOf(draft)
      return signet.createDirectory({ body: { name, ...changedMembers(bodyOf(newDraft), others) } })
    },
    [draft],
  )
  return (
    <Page
      title="Create directory"
      lead="For one customer’s Okta, Microsoft Entra ID, or whatever else speaks SCIM 2.0. What is to be entered there is shown next."
      parent={{ to: '/sign-in/directories', name: 'Directories' }}
    >
      <Panel>
        <Form
          fields={fieldNames}
          call={call}
          submit="Create directory"
          scope="directories:write"
          saved="The directory is created."
          onSaved={({ result }) => navigate(directoryPath(result.id))}
        >
          <DirectoryFields draft={draft} onChange={(changed) => setDraft((before) => ({ ...before, ...changed }))} />
        </Form>
      </Panel>
    </Page>
  )
}
